import { setText } from './dom.ts';

/** Time during which the button says that the text was copied, ms. */
const SAID_MS = 2_000;

/** Copies the text of an element, or selects the text if the browser denies access to the clipboard. The button says which of both happened. */
export async function copyTextOf(text: HTMLElement, button: HTMLButtonElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(text.textContent ?? '');
    setText(button, 'Copied');
  } catch {
    getSelection()?.selectAllChildren(text);
    setText(button, 'Selected: copy it');
  }
  setTimeout(() => setText(button, 'Copy'), SAID_MS);
}
