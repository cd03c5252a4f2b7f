// What is shown when the page itself fails: the answers are in the browser's storage, so loading again goes on.

import { Component } from "react";
import { translator } from "./texts.js";

export class Boundary extends Component {
  state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  render() {
    if (!this.state.failed) return this.props.children;
    const t = translator();
    return (
      <main className="page screen">
        <h1>{t("error_title")}</h1>
        <p role="alert">{t("error_unexpected")}</p>
        <button type="button" className="primary" onClick={() => window.location.reload()}>
          {t("reload")}
        </button>
      </main>
    );
  }
}
