import type { ServiceProblem } from '../../observe/verdict.ts';
import { element, findById, setAttribute, setText, svgElement } from './dom.ts';
import { KeyedList, type Part } from './keyed-list.ts';
import type { Headline } from './page-state.ts';
import { encodeTabIcon, STATE_ICONS } from './state-icons.ts';

/** Maximum number of reasons at the top of the page. The cards of networks have the others. */
const MAX_REASONS = 5;

/** The headline at the top of the page, in the title of the tab and in its icon. */
export class HeadlineView {
  readonly #part: HTMLElement = findById('verdict-part');
  readonly #text: HTMLElement = findById('verdict');
  readonly #outline: SVGPathElement = svgElement('path', { class: 'icon-outline' });
  readonly #lines: SVGPathElement = svgElement('path', { class: 'icon-lines' });
  readonly #reasons: HTMLElement = element('ul', { class: 'reasons', 'aria-label': 'Reasons' });
  readonly #list: KeyedList<ServiceProblem> = new KeyedList(
    this.#reasons,
    ({ network = '', kind }) => `${network} ${kind}`,
    () => new Reason(),
  );

  constructor() {
    const icon = svgElement('svg', { viewBox: '0 0 16 16', 'aria-hidden': 'true' });
    icon.append(this.#outline, this.#lines);
    this.#text.before(icon);
    this.#text.after(this.#reasons);
  }

  /** The text is a live region, so it is replaced only if it changes. */
  update({ state, text, problems }: Headline): void {
    const { mark, outline, lines, isHollow = false } = STATE_ICONS[state];
    setAttribute(this.#part, 'data-verdict', state);
    setText(this.#text, text);
    setAttribute(this.#outline, 'd', outline);
    setAttribute(this.#outline, 'class', isHollow ? 'icon-outline hollow' : 'icon-outline');
    setAttribute(this.#lines, 'd', lines);
    this.#list.update(shorten(problems));
    this.#reasons.hidden = problems.length === 0;
    const title = `${mark} ${text} – Portcullis`;
    if (document.title !== title) document.title = title;
    setAttribute(findById('tab-icon'), 'href', encodeTabIcon(state));
  }
}

function shorten(problems: readonly ServiceProblem[]): readonly ServiceProblem[] {
  const rest = problems.length - MAX_REASONS;
  if (rest <= 0) return problems;
  return [...problems.slice(0, MAX_REASONS), { kind: 'outage', reason: `… and ${rest} more` }];
}

class Reason implements Part<ServiceProblem> {
  readonly root: HTMLElement = element('li');
  readonly #link: HTMLElement = element('a');
  readonly #text: Text = document.createTextNode('');

  update({ network, reason }: ServiceProblem): void {
    if (network !== undefined && this.#link.parentNode === null) this.root.append(this.#link, ': ');
    if (this.#text.parentNode === null) this.root.append(this.#text);
    setText(this.#link, network ?? '');
    setAttribute(this.#link, 'href', `#network-${network}`);
    setText(this.#text, reason);
  }
}
