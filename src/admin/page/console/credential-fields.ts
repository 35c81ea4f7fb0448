import { element } from '../dom.ts';
import type { Credentials } from './authorization.ts';
import { createRememberedInput } from './remembered-input.ts';

/** Fields of optional credentials, collapsed until needed. */
export class CredentialFields {
  readonly root: HTMLDetailsElement;
  readonly #secret: HTMLInputElement;
  readonly #token: HTMLInputElement;

  constructor(onChange: () => void) {
    const create = (name: string): HTMLInputElement =>
      createRememberedInput(
        `portcullis-console-${name}`,
        // Prevents browsers from offering to save a password.
        { id: `console-${name}`, type: 'password', autocomplete: 'one-time-code' },
        onChange,
      );
    this.#secret = create('secret');
    this.#token = create('token');
    const fields = element('div', { class: 'credentials' });
    for (const [text, input] of [
      ['Secret of the key', this.#secret],
      ['Bearer token', this.#token],
    ] as const) {
      fields.append(element('div', { class: 'field' }, element('label', { for: input.id }, text), input));
    }
    this.root = element('details', {}, element('summary', {}, 'Secret or token'), fields);
    this.root.open = this.#secret.value !== '' || this.#token.value !== '';
  }

  read(): Credentials {
    const [secret, token] = [this.#secret.value.trim(), this.#token.value.trim()];
    return { ...(secret !== '' && { secret }), ...(token !== '' && { token }) };
  }
}
