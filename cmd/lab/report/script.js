"use strict";
(() => {
  const $ = (sel, root = document) => [...root.querySelectorAll(sel)];

  // Tips: the native ones of SVG become one that shows at once.
  const tip = document.getElementById("tip");
  for (const t of $("svg > title")) t.remove(); // aria-label says it
  for (const t of $("svg title")) {
    const m = t.parentNode;
    m.dataset.tip = t.textContent;
    m.setAttribute("aria-label", t.textContent);
    t.remove();
  }
  document.addEventListener("pointermove", e => {
    const m = e.target.closest && e.target.closest("[data-tip]");
    tip.hidden = !m;
    if (!m) return;
    tip.textContent = m.dataset.tip;
    const r = tip.getBoundingClientRect();
    tip.style.left = Math.max(4, Math.min(e.clientX + 14, innerWidth - r.width - 8)) + "px";
    tip.style.top = (e.clientY + r.height + 24 > innerHeight ? e.clientY - r.height - 10 : e.clientY + 16) + "px";
  });
  // A series under the pointer stands out of its figure.
  document.addEventListener("pointerover", e => {
    const m = e.target.closest && e.target.closest("svg [data-s]");
    for (const x of $("svg .dim")) x.classList.remove("dim");
    if (!m || m.tagName === "rect") return;
    const svg = m.ownerSVGElement;
    if (new Set($("[data-s]", svg).map(x => x.dataset.s)).size < 2 || !svg.querySelector("path[fill-opacity]")) return;
    for (const x of $("[data-s]", svg)) if (x.dataset.s !== m.dataset.s) x.classList.add("dim");
  });

  // The filter hides series within figures, and figures and rows by kind.
  const form = document.getElementById("filter");
  const find = document.getElementById("find");
  const apply = () => {
    const off = { s: new Set(), key: new Set(), mode: new Set() };
    for (const b of $("[data-filter]", form)) if (!b.checked) off[b.dataset.filter].add(b.value);
    const words = find ? find.querySelector("input").value.toLowerCase().split(/\s+/).filter(Boolean) : [];
    let rows = 0;
    for (const x of $("main [data-s], main [data-key]")) {
      const d = x.dataset;
      let hide = d.s && off.s.has(d.s) || d.key && off.key.has(d.key) || d.mode && off.mode.has(d.mode);
      if (x.tagName === "TR") {
        const text = x.textContent.toLowerCase() + " " + d.s;
        hide = hide || words.some(w => !text.includes(w));
        if (!hide) rows++;
      }
      x.classList.toggle("off", !!hide);
    }
    if (find) find.querySelector("output").textContent = rows + " rows";
  };
  form.hidden = !form.querySelector("input");
  form.addEventListener("change", apply);
  form.addEventListener("submit", e => e.preventDefault());
  document.getElementById("all").addEventListener("click", () => {
    for (const b of $("[data-filter]", form)) b.checked = true;
    apply();
  });
  if (find) {
    find.hidden = false;
    find.querySelector("input").addEventListener("input", apply);
  }

  for (const p of $("pre.copy")) {
    if (!navigator.clipboard) break;
    const b = document.createElement("button");
    b.type = "button";
    b.textContent = "Copy";
    b.addEventListener("click", () => navigator.clipboard.writeText(p.querySelector("code").textContent)
      .then(() => { b.textContent = "Copied"; }, () => { b.textContent = "Select and copy by hand"; }));
    p.append(b);
  }
  // Paper has no folds.
  let opened = [];
  addEventListener("beforeprint", () => { opened = $("details:not([open]):not(#cells)"); for (const d of opened) d.open = true; });
  addEventListener("afterprint", () => { for (const d of opened) d.open = false; });

  // Recorded sorts.
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const hue = t => {
    const map = [[68, 1, 84], [62, 74, 137], [38, 130, 142], [53, 183, 121], [180, 222, 44], [253, 231, 37]];
    const x = Math.min(t * 0.88 + 0.05, 0.999) * (map.length - 1), i = Math.floor(x), f = x - i;
    return "rgb(" + map[i].map((c, k) => Math.round(c + f * (map[i + 1][k] - c))).join(",") + ")";
  };
  for (const fig of $("figure.play")) {
    const m = JSON.parse(fig.querySelector(".movie").textContent);
    const n = m.ranks.length, last = m.order.length - 1;
    const at = m.order.map(o => { const p = new Array(n); o.forEach((id, i) => { p[id] = i; }); return p; });
    const canvas = fig.querySelector("canvas"), c = canvas.getContext("2d");
    const range = fig.querySelector("input"), out = fig.querySelector("output"), go = fig.querySelector(".go");
    range.max = last;
    const net = $(".network [data-k]", fig);
    let pos = 0, goal = 0, playing = false, running = false, before = 0;
    const draw = () => {
      const W = canvas.width, H = canvas.height, w = W / n;
      const i = Math.min(Math.floor(pos), last), j = Math.min(i + 1, last), x = pos - i, f = x * x * (3 - 2 * x);
      c.clearRect(0, 0, W, H);
      for (let id = 0; id < n; id++) {
        const place = at[i][id] + f * (at[j][id] - at[i][id]), t = (m.ranks[id] + 1) / n;
        const lift = at[i][id] === at[j][id] ? 0 : Math.sin(Math.PI * f) * 14;
        const h = m.hues[f < 0.5 ? i : j][id];
        c.fillStyle = h < 0 ? "#8a929b" : hue(h / 100);
        c.fillRect(place * w, H - 6 - t * (H - 40) - lift, Math.max(w - Math.min(1, w / 5), 0.5), t * (H - 40) + 4);
      }
      if (m.runs) {
        const r = m.runs[Math.round(pos)];
        c.fillStyle = "#d98032";
        r.forEach((from, x) => c.fillRect(from * w + w * 0.15, H - 3, ((x + 1 < r.length ? r[x + 1] : n) - from) * w - w * 0.4, 3));
      }
      const k = Math.round(pos);
      // Before the first step the whole network is shown.
      if (fig.dataset.step !== String(k)) for (const x of net) x.classList.toggle("later", k > 0 && +x.dataset.k > k);
      range.value = k;
      out.textContent = "step " + k + " of " + last + ": " + m.labels[k];
      fig.dataset.step = k;
    };
    const tick = now => {
      // A frame's time may lie before the click that asked for it.
      const dt = Math.max(0, Math.min((now - before) / 700, 0.1));
      before = now;
      if (pos < goal) pos = Math.min(goal, pos + dt); else if (pos > goal) pos = Math.max(goal, pos - 3 * dt);
      if (pos === goal && playing) { if (goal < last) goal++; else { playing = false; go.textContent = "Play"; } }
      draw();
      running = pos !== goal || playing;
      if (running) requestAnimationFrame(tick);
    };
    const move = to => {
      goal = Math.max(0, Math.min(last, to));
      if (still) pos = goal;
      if (running) return;
      running = true;
      before = performance.now();
      requestAnimationFrame(tick);
    };
    fig.querySelector(".stage").hidden = false;
    go.addEventListener("click", () => {
      playing = !playing;
      go.textContent = playing ? "Pause" : "Play";
      if (playing && goal >= last) pos = goal = 0;
      if (playing) move(goal + 1);
    });
    fig.querySelector(".on").addEventListener("click", () => { playing = false; go.textContent = "Play"; move(Math.round(goal) + 1); });
    fig.querySelector(".back").addEventListener("click", () => { playing = false; go.textContent = "Play"; move(Math.round(goal) - 1); });
    range.addEventListener("input", () => { playing = false; go.textContent = "Play"; pos = +range.value; move(pos); });
    draw();
  }
  document.documentElement.dataset.ready = "1";
})();
