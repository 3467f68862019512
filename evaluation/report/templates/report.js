"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const PAGE = 50;
  const [RIGHT, WRONG, UNSUPPORTED, ABSTAINED, ERROR, UNANSWERABLE, PARTIAL, DISAGREE] = [1, 2, 4, 8, 16, 32, 64, 128];
  const FILTERS = [
    ["all", "All", 0, "Every question that was asked."],
    ["wrong", "Wrong", WRONG, "There are answers, and the first one is wrong."],
    ["right", "Right", RIGHT, "The first answer is right, or there is rightly none."],
    ["unsupported", "Unsupported", UNSUPPORTED, "Something was written that the graph does not hold."],
    ["partial", "Partial", PARTIAL, "The answer leaves words of the question out, and says so."],
    ["abstained", "Abstained", ABSTAINED, "There is no answer, rightly or not."],
    ["error", "Error", ERROR, "The question ended in an error; it counts as a miss."],
    ["unanswerable", "Unanswerable", UNANSWERABLE, "The dataset says that there is no answer."],
    ...(data.series.length > 1 ? [["disagree", "Methods disagree", DISAGREE, "Not all give the same first answer, or not all are right."]] : []),
  ];
  const REJECTED = [
    "the graph holds it, and it was not taken for an answer", "the graph does not hold it",
    "the graph did not say whether it holds it", "read so, and not taken for what was asked",
  ];
  const VERDICTS = [["✓", "supported"], ["✗", "unsupported"], ["?", "unknown"]];
  const FIELDS = ["series", "show", "hops", "type", "sort", "q"];
  const questions = data.questions.map(([key, text, hops, type, gold, hidden, choices]) =>
    ({ key, text, hops, type, gold, hidden, choices }));
  const results = data.results.map((rows) => rows.map(
    ([question, outcome, status, confidence, scores, topics, answers, hidden, unsupported, written, notes, cost, error, unread, rejected, reading]) =>
      ({ question: questions[question], outcome, status, confidence, scores, topics, answers, hidden, unsupported, written, notes, cost, error, unread, rejected, reading })));
  const found = results.map((rows) => new Map(rows.map((row) => [row.question, row])));
  for (const question of questions) {
    const rows = found.map((rows) => rows.get(question)).filter(Boolean);
    const said = new Set(rows.map(({ answers, outcome }) => `${answers.length ? answers[0][0] : "none"} ${outcome & RIGHT}`));
    if (said.size > 1) for (const row of rows) row.outcome |= DISAGREE;
  }
  const state = { series: 0, show: "all", hops: "", type: "", sort: "", q: "", page: 0, sample: "" };
  const SIDE = 3;
  const byId = (id) => document.getElementById(id);

  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value !== null && value !== undefined) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  }
  const isolated = (text) => make("bdi", null, text);
  const label = (number) => (Array.isArray(data.names[number]) ? data.names[number][0] : data.names[number]);
  const term = (number) => (Array.isArray(data.names[number]) ? data.names[number][1] : null);
  const named = (tag, number, attributes) => make(tag, { ...attributes, title: term(number) }, isolated(label(number)));
  const counted = (number, what) => `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;

  function markOf(row) {
    if (row.outcome & ERROR) return ["error", "!", "error"];
    if (row.outcome & PARTIAL) return ["silent", "~", "partial"];
    if (row.outcome & WRONG) return ["wrong", "✗", "wrong"];
    if (row.outcome & ABSTAINED) {
      return row.outcome & RIGHT ? ["right", "–", "rightly silent"] : ["silent", "–", "abstained"];
    }
    return ["right", "✓", "right"];
  }
  function mark(row) {
    const [kind, sign, meaning] = markOf(row);
    return make("span", { class: `mark ${kind}`, role: "img", "aria-label": meaning, title: meaning }, sign);
  }

  function walk(steps) {
    const list = make("ol", { class: "walk" });
    let place = null;
    steps.forEach(([from, relation, code, to], number) => {
      if (from !== place) {
        list.append(make("li", null, place === null ? null : make("span", { class: "gap" }, "·"), named("span", from, { class: "entity" })));
      }
      const inverse = code > 2;
      const [sign, verdict] = VERDICTS[code % 3];
      const told = `${inverse ? "backwards along" : "along"} ${label(relation)}, ${verdict}, to`;
      const end = number === steps.length - 1 ? "entity end" : "entity";
      list.append(make("li", null,
        make("span", { class: `step v${code % 3}${inverse ? " inverse" : ""}` },
          make("span", { class: "hidden" }, told),
          make("span", { class: "relation", "aria-hidden": "true", title: term(relation) },
            make("span", { class: `verdict v${code % 3}` }, sign), " ", isolated(label(relation))),
          make("span", { class: "arrow", "aria-hidden": "true" })),
        named("span", to, { class: end })));
      place = to;
    });
    return list;
  }

  function answer([name, score, right, chains, hidden]) {
    const sign = make("span", { class: `mark ${right ? "right" : "wrong"}`, role: "img", "aria-label": right ? "right" : "wrong" }, right ? "✓" : "✗");
    return make("li", null,
      make("div", { class: "answer" }, sign, named("span", name),
        make("span", { class: "note" }, score === null ? "" : score.toFixed(3))),
      ...chains.map(walk),
      hidden ? make("p", { class: "note" }, `${counted(hidden, "more chain")} not shown`) : null);
  }

  function sides(question) {
    return make("ul", { class: "sides" }, ...data.series.flatMap((name, series) => {
      const row = found[series].get(question);
      if (!row) return [];
      const more = row.answers.length + row.hidden - SIDE;
      const answers = row.answers.slice(0, SIDE).map(([answer, , right]) => make("li", { class: right ? "right" : "wrong" },
        `${right ? "✓" : "✗"} `, named("span", answer)));
      const silent = row.answers.length ? null : make("p", { class: "note" }, isolated(row.error || row.status));
      const [first] = row.answers;
      return [make("li", { class: series === state.series ? "here" : "" },
        make("div", { class: "head" }, mark(row), " ", make("a", { href: link(series, question.key) }, isolated(name)),
          make("span", { class: "note", title: "confidence" }, row.confidence === null || row.error ? "" : row.confidence.toFixed(2))),
        silent, make("ul", { class: "said" }, ...answers, more > 0 ? make("li", null, `and ${more.toLocaleString("en")} more`) : null),
        first && first[3].length ? walk(first[3][0]) : null)];
    }));
  }

  function rejection({ words, steps, likelihood, verdict }) {
    const how = likelihood === null ? "" : `; likelihood ${likelihood.toFixed(2)}`;
    return make("li", null, words ? make("span", null, isolated(words)) : walk(steps), " ",
      make("span", { class: "why" }, `${REJECTED[verdict]}${how}`));
  }

  function chips(numbers, hidden) {
    return make("ul", { class: "chips" }, ...numbers.map((number) => named("li", number)),
      hidden ? make("li", null, `and ${hidden.toLocaleString("en")} more`) : null);
  }

  function measures(row) {
    const [triples, supported, unsupported, ill] = row.written;
    const [seconds, passes, prompt, tokens, calls, requests] = row.cost;
    const parts = [row.question.key.replace("//", "/"), row.status];
    if (row.scores) parts.push(...["precision", "recall", "F1"].map((name, n) => `${name} ${percent(row.scores[n])}`));
    parts.push(`${counted(triples, "triple")} written: ${supported} supported, ${unsupported} unsupported, ${ill} ill`);
    if (seconds !== null) parts.push(`${seconds.toPrecision(3)} s`);
    parts.push(counted(passes, "forward pass").replace("passs", "passes"));
    parts.push(`${counted(prompt, "token")} of prompts`, `${counted(tokens, "token")} after them`);
    if (calls) parts.push(counted(calls, "LLM call"));
    parts.push(counted(requests, "KG request"));
    return make("p", { class: "measures" }, isolated(parts.join(" · ")));
  }
  const percent = (value) => (value === null ? "–" : (100 * value).toFixed(1));

  function body(row) {
    const { question } = row;
    const box = make("div", { class: "body" });
    const part = (title, ...content) => box.append(make("h4", null, title), ...content);
    if (row.error) part("Error", make("p", null, isolated(row.error)));
    if (row.outcome & UNANSWERABLE) part("Right answer", make("p", null, "none: the question cannot be answered"));
    else part(question.gold.length + question.hidden === 1 ? "Right answer" : "Right answers", chips(question.gold, question.hidden));
    if (question.choices.length) part("To choose from", make("ul", { class: "chips" }, ...question.choices.map((choice) => make("li", null, isolated(choice)))));
    if (row.topics.length) part("Linked", chips(row.topics, 0));
    if (row.unread.length) part("Not understood", make("ul", { class: "chips" }, ...row.unread.map((words) => make("li", null, isolated(words)))));
    if (row.answers.length) {
      part(row.answers.length === 1 ? "Answer" : "Answers", make("ol", { class: "answers" }, ...row.answers.map(answer)));
      if (row.hidden) box.append(make("p", { class: "note" }, `${counted(row.hidden, "more answer")} not shown`));
    } else if (!(row.outcome & ERROR)) part("Answer", make("p", null, "none: the method kept silent"));
    if (row.rejected.length) {
      part("Rejected", make("ul", { class: "rejected" }, ...row.rejected.map(([words, steps, likelihood, verdict]) =>
        rejection({ words, steps, likelihood, verdict }))));
    }
    if (row.unsupported.length) {
      box.append(make("div", { class: "claims" }, make("h4", null, "Not facts: said by a language model only, without a proof in the graph"),
        make("ul", { class: "chips" }, ...row.unsupported.map((claim) => make("li", null, isolated(claim))))));
    }
    if (row.reading && row.answers.length) part("Read as", make("p", null, isolated(row.reading)));
    if (row.notes.length) part(row.rejected.length ? "Why there is no answer" : "Notes", make("ul", { class: "plain" }, ...row.notes.map((note) => make("li", null, isolated(data.notes[note])))));
    if (data.series.filter((_, series) => found[series].has(question)).length > 1) part("Side by side", sides(question));
    part("Measures", measures(row), make("p", { class: "measures" }, make("a", { href: link(state.series, question.key) }, "Link to this sample")));
    return box;
  }

  function item(row, open) {
    const more = row.answers.length + row.hidden - 1;
    const first = row.answers.length ? label(row.answers[0][0]) : row.error || row.status;
    const doubt = row.outcome & UNSUPPORTED ? make("span", { class: "tag doubt" }, "unsupported") : null;
    const details = make("details", null, make("summary", null,
      mark(row),
      make("span", { class: "question" }, isolated(row.question.text)),
      make("span", { class: "first" }, isolated(first), more > 0 ? ` +${more} ` : " ", doubt),
      make("span", { class: "confidence", title: "confidence" }, row.confidence === null || row.outcome & ERROR ? "" : row.confidence.toFixed(2))));
    const draw = () => { if (details.open && !details.querySelector(".body")) details.append(body(row)); };
    details.addEventListener("toggle", draw);
    if (open) {
      details.open = true;
      draw();
    }
    return make("li", { "data-key": row.question.key }, details);
  }

  const texts = new Map();
  function searched(row) {
    if (!texts.has(row)) {
      const { key, text, gold } = row.question;
      texts.set(row, [key, text, ...gold.map(label), ...row.answers.map(([name]) => label(name)), ...row.unsupported].join("\n").toLowerCase());
    }
    return texts.get(row);
  }
  const ORDERS = {
    confident: (a, b) => b.confidence - a.confidence,
    unsure: (a, b) => a.confidence - b.confidence,
    f1: (a, b) => (a.scores ? a.scores[2] : 2) - (b.scores ? b.scores[2] : 2),
    slow: (a, b) => b.cost[0] - a.cost[0],
  };
  function chosen() {
    const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
    return results[state.series].filter((row) =>
      (state.hops === "" || String(row.question.hops) === state.hops)
      && (state.type === "" || row.question.type === state.type)
      && words.every((word) => searched(row).includes(word)));
  }

  function listed() {
    if (state.sample) return results[state.series].filter(({ question }) => question.key === state.sample);
    const [, , bit] = FILTERS.find(([name]) => name === state.show);
    return bit ? chosen().filter((row) => row.outcome & bit) : chosen();
  }

  function link(series, key) {
    return `#${new URLSearchParams({ series: data.series[series], sample: key })}`;
  }
  function address() {
    const parts = new URLSearchParams();
    if (data.series.length > 1) parts.set("series", data.series[state.series]);
    for (const name of FIELDS.slice(1)) if (state[name] && state[name] !== "all") parts.set(name, state[name]);
    if (state.page) parts.set("page", String(state.page + 1));
    const text = parts.toString();
    history.replaceState(null, "", text ? `#${text}` : "#samples");
  }
  function readAddress() {
    const hash = location.hash.slice(1);
    if (!hash.includes("=")) return false;
    const parts = new URLSearchParams(hash);
    Object.assign(state, { series: 0, show: "all", hops: "", type: "", sort: "", q: "", page: 0, sample: "" });
    for (const name of FIELDS.slice(1)) state[name] = parts.get(name) || state[name];
    state.series = Math.max(0, data.series.indexOf(parts.get("series") || ""));
    state.page = Math.max(0, (parseInt(parts.get("page") || "1", 10) || 1) - 1);
    state.sample = parts.get("sample") || "";
    if (!FILTERS.some(([name]) => name === state.show)) state.show = "all";
    return true;
  }

  function options(id, values, all) {
    const select = byId(id);
    select.replaceChildren(...(all ? [make("option", { value: "" }, all)] : []), ...values.map(([value, text]) => make("option", { value }, text)));
    byId(`${id}-field`).hidden = values.length < 2;
  }
  function fillControls() {
    const rows = questions;
    options("series", data.series.map((name, n) => [String(n), name]), null);
    const hops = [...new Set(rows.map((q) => q.hops))].filter((h) => h !== null).sort((a, b) => a - b);
    options("hops", hops.map((h) => [String(h), String(h)]), "any");
    options("type", [...new Set(rows.map((q) => q.type))].filter(Boolean).sort().map((t) => [t, t]), "any");
    for (const [name, title] of FILTERS) {
      const input = make("input", { type: "radio", name: "show", id: `show-${name}`, value: name });
      input.addEventListener("change", () => change({ show: name }));
      byId("filters").append(input, make("label", { for: `show-${name}` }, `${title} `, make("span", { class: "count" })));
    }
    byId("series").addEventListener("change", (event) => change({ series: Number(event.target.value) }));
    for (const name of ["hops", "type", "sort"]) byId(name).addEventListener("change", (event) => change({ [name]: event.target.value }));
    let waiting = 0;
    byId("search").addEventListener("input", (event) => {
      clearTimeout(waiting);
      waiting = setTimeout(() => change({ q: event.target.value.trim() }), 150);
    });
    byId("controls").addEventListener("submit", (event) => event.preventDefault());
    byId("export-csv").addEventListener("click", () => save("csv", "text/csv", asCsv));
    byId("export-json").addEventListener("click", () => save("json", "application/json", asJson));
    byId("controls").hidden = false;
  }

  const spelled = (steps) => steps.map(([from, relation, code, to]) =>
    (code > 2 ? [to, relation, from] : [from, relation, to]).map(label).join(" -> ")).join("; ");
  function asRecord(series, row) {
    const { question } = row;
    const [seconds, passes, prompt, tokens, calls, requests] = row.cost;
    const [precision, recall, f1] = row.scores || [null, null, null];
    return {
      series: data.series[series], sample: question.key, question: question.text, hops: question.hops, type: question.type,
      status: row.status, right: Boolean(row.outcome & RIGHT), answers: row.answers.map(([name]) => label(name)),
      gold: question.gold.map(label), confidence: row.confidence, precision, recall, f1,
      walk: row.answers.length && row.answers[0][3].length ? spelled(row.answers[0][3][0]) : "",
      reading: row.reading, unread: row.unread, unsupported: row.unsupported, notes: row.notes.map((note) => data.notes[note]), error: row.error,
      seconds, forward_passes: passes, prompt_tokens: prompt, tokens, llm_calls: calls, kg_requests: requests,
    };
  }
  function exported() {
    const asked = new Set(listed().map(({ question }) => question));
    return results.flatMap((rows, series) => rows.filter(({ question }) => asked.has(question)).map((row) => asRecord(series, row)));
  }
  const asJson = (records) => `${JSON.stringify(records, null, 1)}\n`;
  function asCsv(records) {
    const cell = (value) => {
      const text = Array.isArray(value) ? value.join("; ") : String(value ?? "");
      const plain = typeof value !== "number" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
      return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
    };
    const names = records.length ? Object.keys(records[0]) : [];
    const rows = [names, ...records.map((record) => names.map((name) => record[name]))];
    return `\ufeff${rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("")}`;
  }
  function save(ending, type, text) {
    const address = URL.createObjectURL(new Blob([text(exported())], { type: `${type};charset=utf-8` }));
    const anchor = make("a", { href: address, download: `groundwalk-results.${ending}` });
    document.body.append(anchor);
    anchor.click();
    anchor.remove();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }
  function change(values) {
    Object.assign(state, { page: 0, sample: "" }, values);
    address();
    show();
  }

  function show() {
    byId("series").value = String(state.series);
    for (const name of ["hops", "type", "sort"]) byId(name).value = state[name];
    if (document.activeElement !== byId("search")) byId("search").value = state.q;
    byId(`show-${state.show}`).checked = true;
    const matching = chosen();
    for (const [name, , bit] of FILTERS) {
      const count = bit ? matching.reduce((sum, row) => sum + (row.outcome & bit ? 1 : 0), 0) : matching.length;
      byId(`show-${name}`).nextElementSibling.lastChild.textContent = count.toLocaleString("en");
    }
    const list = byId("list"), everywhere = data.series.length > 1 ? ` with every ${byId("series-field").firstChild.data.toLowerCase()}'s results,` : "";
    byId("export-text").textContent = `Save ${counted(listed().length, "question")},${everywhere} as`;
    if (state.sample) {
      const row = results[state.series].find(({ question }) => question.key === state.sample);
      byId("meaning").textContent = row ? "One sample. " : "This report has no such sample. ";
      const back = make("button", { type: "button" }, "Show all samples");
      back.addEventListener("click", () => change({}));
      byId("meaning").append(back);
      list.replaceChildren(...(row ? [item(row, true)] : []));
      byId("pages").hidden = true;
      return;
    }
    const [, , , meaning] = FILTERS.find(([name]) => name === state.show);
    const rows = listed();
    if (ORDERS[state.sort]) rows.sort(ORDERS[state.sort]);
    const pages = Math.max(1, Math.ceil(rows.length / PAGE));
    state.page = Math.min(state.page, pages - 1);
    const from = state.page * PAGE;
    byId("meaning").textContent = `${meaning} ${rows.length ? "" : "There are none."}`;
    list.replaceChildren(...rows.slice(from, from + PAGE).map((row) => item(row, false)));
    list.setAttribute("start", String(from + 1));
    turnPages(from, rows.length, pages);
  }
  function turnPages(from, count, pages) {
    const button = (text, page) => {
      const made = make("button", { type: "button" }, text);
      made.disabled = page < 0 || page >= pages;
      made.addEventListener("click", () => {
        change({ page });
        byId("samples").scrollIntoView();
      });
      return made;
    };
    byId("pages").hidden = pages < 2;
    byId("pages").replaceChildren(button("Previous", state.page - 1),
      make("span", null, `${(from + 1).toLocaleString("en")}–${Math.min(from + PAGE, count).toLocaleString("en")} of ${count.toLocaleString("en")}`),
      button("Next", state.page + 1));
  }

  function tips() {
    const tip = byId("tip");
    const hide = () => { tip.hidden = true; };
    const tell = (event) => {
      const target = event.target.closest?.("[data-tip]");
      if (!target) return hide();
      tip.textContent = target.getAttribute("data-tip");
      tip.hidden = false;
      const place = target.getBoundingClientRect();
      const left = Math.min(Math.max(8, place.left + place.width / 2 - tip.offsetWidth / 2), innerWidth - tip.offsetWidth - 8);
      const above = place.top - tip.offsetHeight - 6;
      tip.style.left = `${left}px`;
      tip.style.top = `${above < 4 ? place.bottom + 6 : above}px`;
    };
    for (const name of ["pointerover", "focusin"]) document.addEventListener(name, tell);
    for (const name of ["scroll", "blur"]) addEventListener(name, hide, { passive: true });
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  }

  function follow() {
    const wanted = readAddress();
    show();
    if (wanted) byId("samples").scrollIntoView();
  }
  fillControls();
  tips();
  follow();
  addEventListener("hashchange", () => { if (location.hash.includes("=")) follow(); });
})();
