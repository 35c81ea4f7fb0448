/** Uses a page by the keyboard alone. Each step checks that the focus is visible, and that it moves in the order of the page. */
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { waitUntil } from '../support/wait-until.ts';

/** More stops than the page has between two of its parts. */
const MAX_STOPS = 150;

type FocusFacts = {
  readonly text: string;
  readonly isIndicated: boolean;
  /** Whether the element is after the element that had the focus before. */
  readonly isLater: boolean;
};

/** Describes the focused element, and remembers it in the page for the next call. */
const READ_FOCUS = `(() => {
  const { activeElement: focused } = document;
  const { outlineStyle, outlineWidth } = getComputedStyle(focused);
  const before = window.focusedBefore;
  window.focusedBefore = focused;
  return {
    text: focused.outerHTML.slice(0, 120),
    isIndicated: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1,
    isLater: before === undefined || !before.isConnected || Boolean(before.compareDocumentPosition(focused) & 4),
  };
})()`;

/** Whether the window shows the focused element, and the head of the page does not cover it. */
const IS_SHOWN = `(() => {
  const { activeElement: focused } = document;
  const head = document.querySelector('.top');
  const { top, bottom, left, right } = focused.getBoundingClientRect();
  const isInMain = document.querySelector('main').contains(focused);
  const covered = isInMain && getComputedStyle(head).position === 'sticky' ? head.getBoundingClientRect().bottom : 0;
  return bottom > covered && top < innerHeight && right > 0 && left < innerWidth;
})()`;

/** Presses Tab until this element has the focus. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await page.evaluate('delete window.focusedBefore');
  for (let stops = 0; stops < MAX_STOPS; stops++) {
    await page.keyboard.press('Tab');
    const { text, isIndicated, isLater } = await readFocus(page);
    assert.ok(isIndicated, `the focus is visible: ${text}`);
    // The page may scroll smoothly.
    await waitUntil(() => page.evaluate<boolean>(IS_SHOWN));
    assert.ok(isLater, `the focus moves forward: ${text}`);
    if (await hasFocus(target)) return;
  }
  assert.fail(`Tab does not reach ${target}`);
}

function readFocus(page: Page): Promise<FocusFacts> {
  return page.evaluate(READ_FOCUS);
}

export async function hasFocus(target: Locator): Promise<boolean> {
  return (await target.count()) === 1 && target.evaluate((element) => element.matches(':focus'));
}

/** Chooses an option of the focused select element by its arrow keys. */
export async function chooseByArrows(page: Page, select: Locator, option: string): Promise<void> {
  assert.ok(await hasFocus(select), 'the select element has the focus');
  const [values, selected] = await select.evaluate((element) => {
    const { options, selectedIndex } = element as unknown as {
      readonly options: Iterable<{ readonly value: string }>;
      readonly selectedIndex: number;
    };
    return [Array.from(options, ({ value }) => value), selectedIndex] as const;
  });
  const distance = values.indexOf(option) - selected;
  for (let i = 0; i < Math.abs(distance); i++) {
    await page.keyboard.press(distance > 0 ? 'ArrowDown' : 'ArrowUp');
  }
  assert.equal(await select.inputValue(), option);
}
