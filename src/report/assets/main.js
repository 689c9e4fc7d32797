// main.js - reads the data and shows the view that the address names.

sennit.data = JSON.parse(document.getElementById("data").textContent);
document.title = sennit.data.title;
document.getElementById("app").append(sennit.el("h1", {}, sennit.data.title));
