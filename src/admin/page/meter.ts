import { setAttribute, svgElement } from './dom.ts';
import type { Part } from './keyed-list.ts';

/** A bar for a share, whose number is displayed beside it. */
export class Meter implements Part<number> {
  readonly root: SVGSVGElement;
  readonly #bar: SVGRectElement = svgElement('rect', { class: 'bar-part', height: '6', width: '0' });

  constructor() {
    const ground = svgElement('rect', { class: 'bar-ground', height: '6', width: '100' });
    this.root = svgElement(
      'svg',
      { viewBox: '0 0 100 6', preserveAspectRatio: 'none', class: 'meter', 'aria-hidden': 'true' },
      ground,
      this.#bar,
    );
  }

  /** @param share 0 to 1 */
  update(share: number): void {
    setAttribute(this.#bar, 'width', String(Math.round(share * 1_000) / 10));
  }
}
