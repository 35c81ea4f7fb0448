/**
 * Styles of the page. Colours are defined in one place, for the light and the dark theme. Every pair of text and background has a contrast of at
 * least 4.5.
 */
export const PAGE_CSS: string = `
:root {
  color-scheme: light dark;
  --ground: #f4f5f7;
  --panel: #ffffff;
  --edge: #d8dde3;
  --soft: #eceff2;
  --text: #1a2027;
  --quiet: #56616d;
  --accent: #1d5a96;
  --on-accent: #ffffff;
  --ok: #17693b;
  --ok-soft: #e2f2e8;
  --warn: #7d5200;
  --warn-soft: #fbf0d6;
  --bad: #ad241c;
  --bad-soft: #fbe5e3;
  --mono: ui-monospace, "SF Mono", SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12161a;
    --panel: #1a1f25;
    --edge: #2f3740;
    --soft: #242b33;
    --text: #e4e8ec;
    --quiet: #98a4b0;
    --accent: #7db4ee;
    --on-accent: #0d1620;
    --ok: #6fd09a;
    --ok-soft: #16301f;
    --warn: #e3b457;
    --warn-soft: #33280f;
    --bad: #ff938a;
    --bad-soft: #3b1b19;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 4.5rem; -webkit-text-size-adjust: 100%; }
body {
  margin: 0;
  background: var(--ground);
  color: var(--text);
  font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
  font-variant-numeric: tabular-nums;
}
h1, h2, h3, p, dl, dd, pre, fieldset { margin: 0; }
h1 { font-size: 1.1rem; font-weight: 650; display: flex; align-items: center; gap: .45rem; }
h1 svg { width: 1.25rem; height: 1.25rem; fill: none; stroke: var(--accent); stroke-width: 1.3; }
h2 { font-size: .95rem; font-weight: 650; margin: 0 0 .5rem; }
h3 { font-size: .95rem; font-weight: 600; }
a { color: var(--accent); }
[hidden] { display: none !important; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
.quiet { color: var(--quiet); }
.ok { color: var(--ok); }
.warn { color: var(--warn); }
.bad { color: var(--bad); }
.empty { color: var(--quiet); padding: .35rem 0; }

.top { position: sticky; top: 0; z-index: 1; background: var(--panel); border-bottom: 1px solid var(--edge); }
.bar, main { max-width: 84rem; margin: 0 auto; padding: 0 1.25rem; }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: .2rem 1rem; padding-block: .6rem; }
nav { display: flex; flex-wrap: wrap; gap: .1rem .85rem; }
nav a { text-decoration: none; padding: .15rem 0; }
nav a:hover { text-decoration: underline; }
main { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.5rem; padding-block: 1.25rem 3rem; }
section { min-width: 0; scroll-margin-top: 4.5rem; }

.panel, .tile, .card {
  background: var(--panel);
  border: 1px solid var(--edge);
  border-radius: 8px;
  padding: .85rem 1rem;
  min-width: 0;
}
.tiles { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); }
.tile { display: flex; flex-direction: column; }
.tile h3 { font-size: .8rem; color: var(--quiet); }
.value { font-size: 1.6rem; font-weight: 600; line-height: 1.25; letter-spacing: -.01em; }
.unit { color: var(--quiet); }
.note { color: var(--quiet); font-size: .85rem; }
.sparkline { display: block; width: 100%; height: 2.6rem; margin-top: auto; padding-top: .5rem; box-sizing: content-box; }
.sparkline path { fill: none; vector-effect: non-scaling-stroke; }
.sparkline .base { stroke: var(--edge); stroke-width: 1; }
.sparkline .line { stroke: var(--accent); stroke-width: 1.5; stroke-linejoin: round; stroke-linecap: round; }
.sparkline .line-1 { stroke: var(--quiet); }
.sparkline .area { fill: var(--accent); opacity: .13; }

.meter { display: block; width: 100%; height: .5rem; margin-top: auto; border-radius: 99px; }
.bar-ground { fill: var(--soft); }
.bar-part { fill: var(--accent); }

.cards { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 28rem), 1fr)); grid-auto-flow: dense; }
.cards:not(:has(.card:not(.wide) ~ .card:not(.wide))) > .card:not(.wide) { grid-column: 1 / -1; }
.card.wide { grid-column: 1 / -1; display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: .5rem 2rem; align-items: start; }
.card header { display: flex; align-items: baseline; gap: .6rem; justify-content: space-between; }
.card h3 { overflow-wrap: anywhere; }
.card .sparkline { height: 1.9rem; margin: 0 0 .4rem; }
.hosts { color: var(--quiet); font: .85em var(--mono); overflow-wrap: anywhere; white-space: pre-wrap; }
.pill {
  display: inline-block;
  padding: .05rem .5rem;
  border-radius: 99px;
  background: var(--soft);
  font-size: .85rem;
  font-weight: 600;
  white-space: nowrap;
}
.pill.ok { background: var(--ok-soft); }
.pill.warn { background: var(--warn-soft); }
.pill.bad { background: var(--bad-soft); }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 12.5rem), 1fr)); gap: .4rem 1rem; margin: .6rem 0 0; }
.facts dt { color: var(--quiet); font-size: .8rem; }
.facts dd { overflow-wrap: anywhere; white-space: pre-wrap; }

.pair { display: grid; gap: 1.5rem .75rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); }
.pair > section { display: flex; flex-direction: column; }
.pair .panel { flex: 1; }
.table { min-width: 0; }
table { width: 100%; border-collapse: collapse; }
th { text-align: left; font-weight: 500; font-size: .8rem; color: var(--quiet); white-space: nowrap; }
th, td { padding: .3rem .7rem .3rem 0; vertical-align: top; }
th:last-child, td:last-child { padding-right: 0; }
tbody tr { border-top: 1px solid var(--edge); }
th.number, td.number { text-align: right; white-space: nowrap; }
td.code, dd.code, code { font: .9em var(--mono); }
td.code { line-height: 1.6; }
td { overflow-wrap: anywhere; }
td.code:not(:first-child) { white-space: nowrap; }
td.ok, td.warn, td.bad { font-weight: 550; }

.console { display: grid; gap: .75rem; grid-template-columns: minmax(0, 9fr) minmax(0, 11fr); align-items: start; }
.side { scroll-margin-top: 4.5rem; position: sticky; top: 4rem; max-height: calc(100vh - 5rem); overflow: auto; }
.selectors { display: grid; gap: .6rem .75rem; grid-template-columns: repeat(2, minmax(0, 1fr)); }
.selectors > :last-child { grid-column: 1 / -1; }
.summary { margin: .6rem 0 .2rem; }
.request > details { margin: 0 0 .6rem; }
.field { min-width: 0; margin-bottom: .6rem; }
.credentials { display: grid; gap: .6rem .75rem; grid-template-columns: repeat(2, minmax(0, 1fr)); margin-top: .4rem; }
.selectors .field, .credentials .field { margin: 0; }
.label { display: flex; justify-content: space-between; gap: .75rem; }
.meaning { color: var(--quiet); font: .85em var(--mono); overflow-wrap: anywhere; text-align: right; }
label, legend { font-weight: 600; }
label .quiet { font-weight: 400; }
input, select, textarea {
  display: block;
  width: 100%;
  margin-top: .25rem;
  min-height: 2.2rem;
  padding: .4rem .55rem;
  color: inherit;
  background: var(--ground);
  border: 1px solid var(--edge);
  border-radius: 6px;
  font: inherit;
}
input, textarea { font-family: var(--mono); font-size: .95em; }
textarea { resize: vertical; overflow-wrap: anywhere; word-break: break-all; }
::placeholder { color: var(--quiet); opacity: 1; }
[aria-invalid=true] { border-color: var(--bad); }
.help { color: var(--quiet); font-size: .85rem; margin-top: .2rem; }
.problem { color: var(--bad); font-weight: 550; overflow-wrap: anywhere; }
fieldset { border: 1px solid var(--edge); border-radius: 6px; padding: .5rem .8rem; margin-bottom: .75rem; min-width: 0; }
legend { padding: 0 .3rem; }
fieldset > .help { margin-bottom: .5rem; }
details { margin: .35rem 0; }
summary { cursor: pointer; color: var(--accent); padding: .15rem 0; }
fieldset details > :nth-child(2) { margin-top: .4rem; }
button {
  padding: .4rem .8rem;
  color: var(--text);
  background: var(--soft);
  border: 1px solid var(--edge);
  border-radius: 6px;
  font: inherit;
  cursor: pointer;
}
button:hover { border-color: var(--accent); }
button:disabled { opacity: .55; cursor: default; }
button[aria-pressed=true] { border-color: var(--accent); color: var(--accent); }
button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; padding-inline: 1.4rem; }
.buttons { display: flex; flex-wrap: wrap; gap: .5rem; margin: .4rem 0; }
.chips { display: flex; flex-wrap: wrap; gap: .3rem; margin: .35rem 0 .2rem; }
.chip { padding: .1rem .55rem; font: .85em var(--mono); border-radius: 99px; }
pre {
  max-height: 30rem;
  overflow: auto;
  padding: .6rem .75rem;
  background: var(--ground);
  border: 1px solid var(--edge);
  border-radius: 6px;
  font: .88em/1.5 var(--mono);
  white-space: pre-wrap;
  overflow-wrap: anywhere;
}
.code { margin: .35rem 0; max-height: 20rem; }
dd.code, td.code { margin: 0; max-height: none; }
.interface { margin-top: .6rem; }
.interface .field { margin-bottom: .4rem; }
.function { border-color: var(--accent); }
.element { margin-bottom: .6rem; }
.element > .field, .element > fieldset { margin-bottom: .25rem; }
[readonly] { border-style: dashed; color: var(--quiet); }
.outcome { color: var(--quiet); margin-bottom: .15rem; }
.outcome .pill { white-space: normal; overflow-wrap: anywhere; border-radius: .7rem; }
/* Sticky, so that it remains visible while a long answer is scrolled. */
.old { position: sticky; top: 0; z-index: 1; background: var(--warn-soft); color: var(--warn); font-weight: 600; padding: .35rem .7rem; border-radius: 6px; margin-bottom: .5rem; }
.watch-head { display: flex; flex-wrap: wrap; align-items: center; gap: .3rem .75rem; }
.watch-head button { margin-left: auto; }
.messages { margin-top: .6rem; }
.message { margin: 0; padding: .25rem 0; border-top: 1px solid var(--edge); }
.message > summary { color: inherit; overflow-wrap: anywhere; }
.content { margin-top: .5rem; }
.content.stale, .messages.stale { border-left: 3px dashed var(--warn); padding-left: .75rem; color: var(--quiet); }
.outcome.stale .pill { background: var(--soft); color: var(--quiet); text-decoration: line-through; }
h3.part { font-size: .85rem; font-weight: 650; margin: .9rem 0 0; overflow-wrap: anywhere; }
h3.part + .decoded { margin-top: .25rem; }
.type { font: .9em var(--mono); color: var(--quiet); }
.opener { padding: 0; border: 0; background: none; color: var(--accent); font: inherit; text-align: inherit; white-space: nowrap; }
.opener::before { content: "▸ "; }
.opener[aria-expanded=true]::before { content: "▾ "; }
.opener:hover { text-decoration: underline; }
.answer td.wraps { white-space: normal; overflow-wrap: anywhere; min-width: 12rem; }
.answer .table { container-type: inline-size; }
.answer .opened > td { white-space: normal; padding: 0 0 1rem; }
.opened-content { position: sticky; left: 0; width: 100cqw; padding-left: .9rem; border-left: 3px solid var(--edge); }
.opened-content h3:first-child { margin-top: .4rem; }
.whole { margin: 0; }
.whole summary { color: inherit; padding: 0; }
.whole pre { margin: .3rem 0; max-height: 16rem; }
.trace { list-style: none; margin: .3rem 0 0; padding: 0; }
.trace .trace { padding-left: .8rem; border-left: 2px solid var(--edge); }
.trace summary { color: var(--text); overflow-wrap: anywhere; }
.frame { margin-left: .9rem; }
.frame > summary { color: var(--accent); }
.headline { font-size: 1.25rem; font-weight: 600; line-height: 1.3; overflow-wrap: anywhere; }
.words { margin-bottom: .6rem; }
.decoded { margin-top: .5rem; }
.decoded > div { display: grid; grid-template-columns: minmax(7rem, 12rem) minmax(0, 1fr); gap: .75rem; padding: .25rem 0; border-top: 1px solid var(--edge); }
.decoded dt { color: var(--quiet); overflow-wrap: anywhere; }
.decoded dd { overflow-wrap: anywhere; }
.answer .table { margin-top: .5rem; overflow-x: auto; }
.answer td { overflow-wrap: normal; white-space: nowrap; }

@media (max-width: 60rem) {
  .card.wide { grid-template-columns: minmax(0, 1fr); }
  .console { grid-template-columns: minmax(0, 1fr); }
  .side { position: static; max-height: none; overflow: visible; }
  .old { top: 3.5rem; }
}
@media (max-width: 40rem) {
  html { scroll-padding-top: 1rem; }
  .top { position: static; }
  .old { top: 0; }
  .bar, main { padding-inline: .75rem; }
  .live { margin-left: 0; width: 100%; order: 1; }
  nav { order: 2; width: 100%; }
  nav a { padding: .35rem 0; }
  nav a:first-child { display: none; }
  .facts > div { display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); align-items: baseline; }
  .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .tile { padding: .6rem .75rem; }
  .tile:last-child { grid-column: 1 / -1; }
  .value { font-size: 1.35rem; }
  input, select, textarea { font-size: 16px; }
  button { padding-block: .5rem; }
  .chip { padding-block: .3rem; }
  .decoded > div { grid-template-columns: minmax(0, 1fr); gap: 0; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, tbody { display: block; }
  tbody tr:first-child { border-top: 0; }
  tbody tr { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .1rem .9rem; padding: .5rem 0; }
  td, th.number, td.number { display: block; padding: 0; text-align: left; }
  .answer td, td.code:not(:first-child) { white-space: normal; overflow-wrap: anywhere; }
  .answer td.wraps { min-width: 0; }
  .answer .opened { display: block; padding: 0; border-top: 0; }
  .answer .opened > td { padding: 0 0 .6rem; font-weight: 400; }
  .opened > td::before { content: none; }
  .opener { padding-block: .2rem; white-space: normal; overflow-wrap: anywhere; }
  td::before { content: attr(data-label); display: block; color: var(--quiet); font: .8rem/1.4 system-ui, sans-serif; }
  td:first-child { grid-column: 1 / -1; font-weight: 600; }
  td:first-child::before { font-weight: 400; }
}
@media (prefers-reduced-motion: no-preference) {
  html { scroll-behavior: smooth; }
}
`;
