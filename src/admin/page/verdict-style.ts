/** Styles of the headline at the top of the page, served with the stylesheet, whose colours they use. */
export const VERDICT_CSS: string = `
.verdict { --tone: var(--text); --tone-soft: var(--panel); background: var(--tone-soft); border-top: 4px solid var(--tone); }
.verdict[data-verdict=healthy] { --tone: var(--ok); --tone-soft: var(--ok-soft); }
.verdict[data-verdict=impaired] { --tone: var(--warn); --tone-soft: var(--warn-soft); }
.verdict[data-verdict=failing], .verdict[data-verdict=lost] { --tone: var(--bad); --tone-soft: var(--bad-soft); }
.verdict[data-verdict=lost] { border-top-style: dashed; }
.verdict[data-verdict=draining] { --tone: var(--quiet); --tone-soft: var(--soft); }
.verdict > div {
  max-width: 84rem;
  margin: 0 auto;
  padding: .7rem 1.25rem .75rem;
  display: grid;
  grid-template-columns: auto minmax(0, 1fr);
  gap: .3rem .7rem;
  align-items: center;
}
.verdict svg { width: 1.6rem; height: 1.6rem; fill: none; align-self: start; }
.icon-outline { fill: var(--tone); stroke: none; }
.icon-outline.hollow { fill: none; stroke: var(--tone); stroke-width: 1.4; }
.icon-lines { stroke: var(--tone-soft); stroke-width: 1.8; stroke-linecap: round; }
.icon-outline.hollow + .icon-lines { stroke: var(--tone); }
#verdict { color: var(--tone); font-size: 1.2rem; font-weight: 650; line-height: 1.35; overflow-wrap: anywhere; }
.verdict .reasons { grid-column: 2; margin: 0; padding: 0; list-style: none; overflow-wrap: anywhere; }
.verdict .reasons a { color: inherit; font-weight: 600; }
body[data-state=lost] main > :not(#console-part) { filter: grayscale(1); }
.live { margin-left: auto; color: var(--quiet); }
.warnings { margin: .4rem 0; padding-left: .6rem; border-left: 3px solid currentColor; overflow-wrap: anywhere; }
.facts dd.warn { font-weight: 550; }
@media (max-width: 40rem) {
  .verdict > div { padding-inline: .75rem; }
  #verdict { font-size: 1.1rem; }
}
`;
