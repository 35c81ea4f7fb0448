import { element, setText } from '../dom.ts';

/** Form for the credential of the Admin API. The credential leaves the form with `onEnter`, and is not stored. */
export class UnlockForm {
  readonly root: HTMLFormElement;
  readonly #input: HTMLInputElement;
  readonly #problem: HTMLElement = element('p', { class: 'problem', role: 'alert', id: 'keys-problem' });
  readonly #submit: HTMLButtonElement = element('button', { type: 'submit', class: 'main' }, 'Show the keys');

  /** @param onEnter called with the token */
  constructor(onEnter: (token: string) => void) {
    this.#input = element('input', {
      id: 'keys-token',
      type: 'password',
      // Prevents browsers from offering to save a password.
      autocomplete: 'one-time-code',
      spellcheck: 'false',
      'aria-describedby': 'keys-help keys-problem',
    });
    const help = element(
      'p',
      { class: 'help', id: 'keys-help' },
      'A token of admin.api: the role read shows keys, and the role write changes them. This page keeps the token in memory only, until you lock this view or leave the page.',
    );
    this.root = element('form', { class: 'unlock', novalidate: '' });
    this.root.append(
      element('label', { for: 'keys-token' }, 'Credential of the Admin API'),
      element('div', { class: 'unlock-line' }, this.#input, this.#submit),
      help,
      this.#problem,
    );
    this.root.addEventListener('submit', (event) => {
      event.preventDefault();
      const token = this.#input.value.trim();
      if (this.#submit.disabled) return;
      if (token === '') this.fail('enter a token of admin.api');
      else {
        this.#submit.disabled = true;
        setText(this.#problem, '');
        onEnter(token);
      }
    });
  }

  /** Shows why a credential does not open the view. */
  fail(message: string): void {
    this.#submit.disabled = false;
    setText(this.#problem, message);
    this.#input.setAttribute('aria-invalid', 'true');
    this.#input.select();
    this.#input.focus();
  }

  /** Removes the credential from the form. */
  clear(): void {
    this.#submit.disabled = false;
    this.#input.value = '';
    this.#input.removeAttribute('aria-invalid');
    setText(this.#problem, '');
  }
}
