// Figures to be taken away as SVG and PNG, in the colours of light ground: they are made of those on the page.
(() => {
  const light = JSON.parse(document.body.dataset.light);
  const XMLNS = "http" + "://www.w3.org/2000/svg"; // a name, no address
  const DENSITY = 3; // pixels of PNG for one of CSS
  const alone = (name) => {
    const svg = document.querySelector(`svg[data-figure="${CSS.escape(name)}"]`).cloneNode(true);
    svg.setAttribute("viewBox", svg.dataset.whole); // with title and footer
    const [width, height] = svg.dataset.whole.split(" ").slice(2).map(Number);
    svg.setAttribute("width", `${width}pt`);
    svg.setAttribute("height", `${height}pt`);
    svg.setAttribute("xmlns", XMLNS);
    svg.setAttribute("font-family", "'DejaVu Sans', Verdana, sans-serif");
    const title = document.createElementNS(XMLNS, "title");
    title.textContent = svg.getAttribute("aria-label");
    svg.prepend(title);
    const text = new XMLSerializer().serializeToString(svg).replace(/var\(--([\w-]+)\)/g, (whole, own) => light[own] ?? "#000");
    return { text: text.replace(/(font: [^;"']*?px) inherit/g, "$1 'DejaVu Sans', Verdana, sans-serif"), width, height };
  };
  const save = (blob, file) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  };
  const as = {
    svg: (name) => save(new Blob([alone(name).text], { type: "image/svg+xml" }), `${name}.svg`),
    png: (name) => {
      const { text, width, height } = alone(name);
      const image = new Image();
      image.onload = () => {
        const canvas = document.createElement("canvas");
        canvas.width = (width * 4 * DENSITY) / 3;
        canvas.height = (height * 4 * DENSITY) / 3;
        const ground = canvas.getContext("2d");
        ground.fillStyle = "#fff";
        ground.fillRect(0, 0, canvas.width, canvas.height);
        ground.drawImage(image, 0, 0, canvas.width, canvas.height);
        canvas.toBlob((blob) => save(blob, `${name}.png`));
      };
      image.src = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
    },
  };
  for (const place of document.querySelectorAll("[data-figure-of]")) {
    const name = place.dataset.figureOf;
    if (!document.querySelector(`svg[data-figure="${CSS.escape(name)}"]`)) continue;
    const buttons = Object.entries(as).map(([kind, make]) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = kind.toUpperCase();
      button.title = `Save ${name}.${kind}`;
      button.addEventListener("click", () => make(name));
      return button;
    });
    place.prepend(...buttons.flatMap((button) => [button, " "]));
  }
})();
