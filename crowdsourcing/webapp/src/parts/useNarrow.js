// Whether the page is narrow, where conversation and questions stand below each other (as in layout.css).

import { useEffect, useState } from "react";

export function useNarrow() {
  const [query] = useState(() => window.matchMedia("(max-width: 860px)"));
  const [narrow, setNarrow] = useState(query.matches);
  useEffect(() => {
    const look = () => setNarrow(query.matches);
    query.addEventListener("change", look);
    return () => query.removeEventListener("change", look);
  }, [query]);
  return narrow;
}
