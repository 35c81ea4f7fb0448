import { setAttribute, svgElement } from './dom.ts';
import type { Part } from './keyed-list.ts';

const WIDTH = 240;
const HEIGHT = 40;
/** Margin that prevents a line at the edge of the chart from being clipped. */
const MARGIN = 2;

export type Point = { readonly at: number; readonly value: number | undefined };
export type Chart = {
  /** One or two lines. The area below the first line is filled. */
  readonly lines: readonly (readonly Point[])[];
  readonly from: number;
  readonly to: number;
  /** Text alternative. */
  readonly label: string;
};

/** A small time series chart. */
export class Sparkline implements Part<Chart> {
  readonly root: SVGSVGElement;
  readonly #area: SVGPathElement = svgElement('path', { class: 'area' });
  readonly #lines: readonly SVGPathElement[] = [0, 1].map((i) =>
    svgElement('path', { class: `line line-${i}` }),
  );

  constructor() {
    this.root = svgElement(
      'svg',
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', class: 'sparkline', role: 'img' },
      svgElement('path', { class: 'base', d: `M0 ${HEIGHT - MARGIN}H${WIDTH}` }),
      this.#area,
      ...this.#lines,
    );
  }

  update(chart: Chart): void {
    setAttribute(this.root, 'aria-label', chart.label);
    const highest = Math.max(...chart.lines.flatMap((line) => line.map(({ value }) => value ?? 0)), 0);
    const paths = chart.lines.map((line) => drawLine(line, chart, highest));
    for (const [i, path] of this.#lines.entries()) {
      setAttribute(path, 'd', (paths[i] ?? []).map(({ d }) => d).join(''));
    }
    setAttribute(this.#area, 'd', (paths[0] ?? []).map(closeArea).join(''));
  }
}

type Stretch = { readonly d: string; readonly from: number; readonly to: number };

/** Draws a line with a gap wherever there is no value. */
function drawLine(points: readonly Point[], { from, to }: Chart, highest: number): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let open: Stretch | undefined;
  for (const { at, value } of points) {
    if (value === undefined || at < from) {
      open = undefined;
      continue;
    }
    const x = round(((at - from) / Math.max(1, to - from)) * WIDTH);
    const y = round(HEIGHT - MARGIN - (highest === 0 ? 0 : value / highest) * (HEIGHT - 2 * MARGIN));
    if (open !== undefined) stretches.pop();
    // A single point is drawn as a short line.
    open =
      open === undefined
        ? { d: `M${x} ${y}h.01`, from: x, to: x }
        : { ...open, d: `${open.d}L${x} ${y}`, to: x };
    stretches.push(open);
  }
  return stretches;
}

function closeArea({ d, from, to }: Stretch): string {
  return `${d}L${to} ${HEIGHT - MARGIN}L${from} ${HEIGHT - MARGIN}Z`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
