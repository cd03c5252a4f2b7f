// Starts the page: what it needs of the browser is looked up here and nowhere else.

import { createRoot } from "react-dom/client";
import "./style/base.css";
import "./style/layout.css";
import "./style/conversation.css";
import "./style/questions.css";
import "./style/chat.css";
import { Api, tokenKeeper } from "./api.js";
import { App } from "./App.jsx";
import { Boundary } from "./Boundary.jsx";
import { Store } from "./store.js";

const api = new Api({
  fetch: window.fetch.bind(window),
  base: document.baseURI,
  query: Object.fromEntries(new URLSearchParams(window.location.search)),
  keep: tokenKeeper(() => window.sessionStorage, window.location.pathname + window.location.search),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
});
const stores = { unit: new Store(() => window.localStorage), practice: new Store(() => window.sessionStorage) };
stores.unit.prune();

createRoot(document.getElementById("page")).render(
  <Boundary>
    <App api={api} stores={stores} />
  </Boundary>,
);
