// theme.js - light, dark, or as the system says. Remembered where the browser lets a file remember.

{
  const NAMES = ["auto", "light", "dark"];
  const SIGNS = {auto: "\u25d0", light: "\u2600", dark: "\u263e"};

  function remembered() {
    try {
      const name = localStorage.getItem("sennit-theme");
      return NAMES.includes(name) ? name : "auto";
    } catch {
      return "auto";
    }
  }

  sennit.theme = {
    name: remembered(),
    listeners: new Set(),
    set(name) {
      this.name = name;
      if (name === "auto") delete document.documentElement.dataset.theme;
      else document.documentElement.dataset.theme = name;
      try {
        localStorage.setItem("sennit-theme", name);
      } catch {
        // A file that may not remember shows what the system says the next time.
      }
      for (const listener of this.listeners) listener();
    },
    button() {
      const button = sennit.el("button", {
        class: "button quiet",
        type: "button",
        id: "theme",
        onclick: () => {
          this.set(NAMES[(NAMES.indexOf(this.name) + 1) % NAMES.length]);
          say();
        },
      });
      const say = () => {
        button.textContent = `${SIGNS[this.name]} ${this.name}`;
        button.setAttribute("aria-label", `theme: ${this.name}`);
      };
      say();
      return button;
    },
  };
  sennit.theme.set(sennit.theme.name);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => sennit.theme.set(sennit.theme.name));
}
