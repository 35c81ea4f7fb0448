import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PAGE_CSS } from '../../../src/admin/page/stylesheet.ts';

/** Minimum contrast for text, WCAG AA. */
const LEAST_CONTRAST = 4.5;
const PAIRS: readonly (readonly [text: string, ground: string])[] = [
  ...['text', 'quiet', 'accent', 'ok', 'bad'].flatMap((text) =>
    ['panel', 'ground'].map((ground) => [text, ground] as const),
  ),
  ['text', 'soft'],
  ['quiet', 'soft'],
  ['accent', 'soft'],
  ['warn', 'panel'],
  ['ok', 'ok-soft'],
  ['warn', 'warn-soft'],
  ['bad', 'bad-soft'],
  ['on-accent', 'accent'],
];

/** Reads the colours by name, in the order light, dark. */
function readSchemes(): readonly ReadonlyMap<string, string>[] {
  const blocks = [...PAGE_CSS.matchAll(/:root \{([^}]*)\}/g)];
  return blocks.map(
    ([, block = '']) =>
      new Map(
        [...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = '', value = '']) => [name, value]),
      ),
  );
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

for (const [i, scheme] of ['light', 'dark'].entries()) {
  test(`text has enough contrast in the ${scheme} scheme`, () => {
    const colours = readSchemes()[i];
    for (const [text, ground] of PAIRS) {
      const found = contrast(colours?.get(text) ?? '', colours?.get(ground) ?? '');
      assert.ok(found >= LEAST_CONTRAST, `${text} on ${ground}: ${found.toFixed(2)}`);
    }
  });
}
