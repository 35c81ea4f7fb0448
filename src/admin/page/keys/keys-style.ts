/** Styles of the view of keys. They use the colours of the stylesheet, and are served with it. */
export const KEYS_CSS: string = `
#keys-title { width: fit-content; }
.setup { margin-top: .35rem; }
.unlock { max-width: 40rem; }
.unlock-line { display: flex; flex-wrap: wrap; gap: .5rem; margin: .15rem 0 .3rem; }
.unlock-line input { flex: 1 1 14rem; width: auto; margin: 0; }
.keys-bar { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem .75rem; margin-bottom: .5rem; }
.keys-bar input[type=search] { flex: 0 1 16rem; width: auto; min-width: 8rem; margin: 0; }
.keys-bar .main { margin-right: auto; }
.keys-identity { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .5rem 1rem; margin-top: .75rem; padding-top: .6rem; border-top: 1px solid var(--edge); }
.check { display: flex; align-items: center; gap: .45rem; }
.check input { width: 1.05rem; height: 1.05rem; margin: 0; flex: none; accent-color: var(--accent); }
.check label { font-weight: 400; }
.says:empty { display: none; }
.says { color: var(--ok); font-weight: 550; margin-bottom: .4rem; overflow-wrap: anywhere; }
.key-cell { display: flex; flex-direction: column; align-items: flex-start; gap: .1rem; min-width: 0; }
.key-cell strong { font-weight: 600; }
.keys td { vertical-align: middle; }
.keys .sparkline { width: 9rem; height: 1.5rem; padding: 0; margin: 0; }
.keys.no-calls :is(th, td):nth-child(3), .keys.no-changes :is(th, td):nth-child(5) { display: none; }
.keys .note { max-width: 13rem; }
.keys strong { min-width: 6.5rem; }
.row-buttons { display: flex; gap: .35rem; }
button.small { padding: .2rem .55rem; font-size: .9rem; }
button.final { background: var(--bad-soft); border-color: var(--bad); color: var(--bad); font-weight: 600; }
.dialog {
  width: min(42rem, calc(100vw - 1.5rem));
  max-height: calc(100dvh - 2rem);
  overflow: auto;
  padding: 1rem 1.15rem;
  color: var(--text);
  background: var(--panel);
  border: 1px solid var(--edge);
  border-radius: 10px;
}
.dialog::backdrop { background: rgb(0 0 0 / .55); }
.dialog h3 { font-size: 1.05rem; margin-bottom: .6rem; overflow-wrap: anywhere; }
.dialog .buttons { margin: .9rem 0 0; }
.dialog .check { margin: .5rem 0; }
.key-fields { display: grid; gap: .1rem .9rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); }
.new-value { display: grid; grid-template-columns: 4rem minmax(0, 1fr) auto; gap: .35rem .6rem; align-items: center; margin: .5rem 0; }
.value-once { padding: .4rem .55rem; background: var(--ground); border: 1px solid var(--edge); border-radius: 6px; overflow-wrap: anywhere; user-select: all; }
@media (max-width: 40rem) {
  .keys-bar .main { flex: 1 0 100%; }
  .keys-bar input[type=search] { flex: 1 1 8rem; }
  .keys td:nth-child(n+4) { grid-column: 1 / -1; }
  .keys td:first-child::before, .keys td:last-child::before { content: none; }
  .keys .sparkline { width: 100%; max-width: 9rem; }
  .row-buttons { flex-wrap: wrap; margin-top: .3rem; }
  .keys tbody tr { row-gap: .3rem; }
  .keys td:nth-child(2), .keys td:nth-child(3) { align-self: start; }
  .new-value { grid-template-columns: minmax(0, 1fr) auto; }
  .new-value > .quiet { grid-column: 1 / -1; }
}
`;
