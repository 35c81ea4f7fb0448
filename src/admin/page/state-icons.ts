import type { PageState } from './page-state.ts';

type Icon = {
  /** Character that begins the title of the tab. */
  readonly mark: string;
  /** Paths in a square of 16 units: an outline, and lines on it. States differ by shape, not only by colour. */
  readonly outline: string;
  readonly lines: string;
  /** Colour of the icon. It must be visible on light and on dark tabs, because the page does not know the colour of its tab. */
  readonly colour: string;
  /** Whether the outline is not filled. */
  readonly isHollow?: boolean;
};

const CIRCLE = 'M8 1a7 7 0 1 1 0 14a7 7 0 1 1 0-14z';
const SQUARE = 'M2 2h12v12h-12z';

export const STATE_ICONS: Readonly<Record<PageState, Icon>> = {
  healthy: { mark: '✓', outline: CIRCLE, lines: 'M4.6 8.4l2.4 2.4l4.6-5', colour: '#1b7f47' },
  impaired: { mark: '!', outline: 'M8 .8L15.6 15H.4z', lines: 'M8 5.8v4.4M8 12v1.2', colour: '#9a6500' },
  failing: { mark: '✕', outline: SQUARE, lines: 'M5 5l6 6M11 5l-6 6', colour: '#c02a21' },
  draining: { mark: '↓', outline: CIRCLE, lines: 'M8 4v7.4M5 8.6l3 3l3-3', colour: '#55606c' },
  connecting: {
    mark: '…',
    outline: CIRCLE,
    lines: 'M4.6 8h.8M7.6 8h.8M10.6 8h.8',
    colour: '#6b7f95',
    isHollow: true,
  },
  lost: { mark: '?', outline: CIRCLE, lines: 'M3.2 12.8l9.6-9.6', colour: '#c02a21', isHollow: true },
};

/** Returns the icon of a tab as a data URI of an SVG image. */
export function encodeTabIcon(state: PageState): string {
  const { outline, lines, colour, isHollow = false } = STATE_ICONS[state];
  const [fill, pen, stroke] = isHollow ? ['none', colour, colour] : [colour, '#fff', 'none'];
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="${outline}" fill="${fill}" stroke="${stroke}" stroke-width="1.6"/>` +
    `<path d="${lines}" fill="none" stroke="${pen}" stroke-width="1.8" stroke-linecap="round"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
