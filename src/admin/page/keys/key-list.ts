import { TextField } from '../console/text-field.ts';
import { element, setText } from '../dom.ts';
import { formatCount } from '../format.ts';
import { createCheckbox } from './checkbox.ts';
import { KeyDialog } from './dialog.ts';
import { plainKind } from './form-kinds.ts';
import { ApiFailure, type KeyApi } from './key-api.ts';
import { KeyForm } from './key-form.ts';
import { KeyLimitTable, MAX_DISPLAYED_KEYS } from './key-limit-table.ts';
import { compareSettings } from './limits.ts';
import { createNewKeyView } from './new-key-view.ts';
import { UsageLoader } from './usage-loader.ts';
import type { ListedKey, NewKey, ShownCredential } from './wire.ts';

type KeyListParts = {
  readonly api: KeyApi;
  readonly caller: ShownCredential;
  readonly keys: readonly ListedKey[];
  /** Returns the names of the networks of the service. */
  listNetworks(): readonly string[];
  /** Called when the user locks the view, or when the credential is no longer accepted: then with the reason. */
  onLock(reason?: string): void;
};

/** Keys of the service, with the changes that the credential may make. */
export class KeyList {
  readonly root: HTMLElement = element('div');
  readonly #parts: KeyListParts;
  readonly #dialog: KeyDialog = new KeyDialog();
  readonly #usage: UsageLoader;
  readonly #table: KeyLimitTable;
  readonly #find: HTMLInputElement = element('input', {
    type: 'search',
    id: 'keys-find',
    autocomplete: 'off',
  });
  readonly #revoked = createCheckbox('Show revoked keys');
  readonly #count: HTMLElement = element('p', { class: 'empty' });
  readonly #says: HTMLElement = element('p', { class: 'says', role: 'status' });
  #keys: ReadonlyMap<string, ListedKey>;

  constructor(parts: KeyListParts) {
    this.#parts = parts;
    this.#keys = byId(parts.keys);
    this.#usage = new UsageLoader(parts.api, () => this.#show());
    this.#table = new KeyLimitTable({
      update: (key) => this.#openUpdate(key),
      rotate: (key) => this.#openRotation(key),
      revoke: (key) => this.#openRevocation(key),
    });
    this.root.append(
      this.#createBar(),
      this.#says,
      this.#count,
      this.#table.root,
      this.#createIdentity(),
      this.#dialog.root,
    );
    this.#find.addEventListener('input', () => this.#show());
    this.#revoked.input.addEventListener('change', () => this.#show());
    this.#show();
  }

  /** Removes everything that the view shows. */
  close(): void {
    this.#dialog.close();
    this.root.replaceChildren();
  }

  get #canChange(): boolean {
    return this.#parts.caller.role === 'write';
  }

  #createBar(): HTMLElement {
    const bar = element('div', { class: 'keys-bar' });
    if (this.#canChange) bar.append(createButton('Create a key', () => this.#openCreation(), 'main'));
    bar.append(
      element('label', { for: 'keys-find' }, 'Find'),
      this.#find,
      this.#revoked.root,
      createButton('Refresh', () => void this.#refresh()),
    );
    return bar;
  }

  #createIdentity(): HTMLElement {
    const { name, role } = this.#parts.caller;
    const may = this.#canChange
      ? 'it may change keys'
      : 'it may not change keys: enter a credential with the role write to do so';
    return element(
      'div',
      { class: 'keys-identity' },
      element('p', { class: 'quiet' }, `Credential ${name} with the role ${role}: ${may}.`),
      createButton('Lock', () => this.#parts.onLock()),
    );
  }

  /** Shows the keys that match, newest first. */
  #show(): void {
    const text = this.#find.value.trim().toLowerCase();
    const all = [...this.#keys.values()].reverse();
    const shown = all.filter(
      ({ id, name, state }) =>
        (state !== 'revoked' || this.#revoked.input.checked) &&
        (id.startsWith(text) || name.toLowerCase().includes(text)),
    );
    const revoked = all.filter(({ state }) => state === 'revoked').length;
    setText(
      this.#count,
      shown.length > 0
        ? ''
        : all.length === revoked && text === ''
          ? 'There are no keys yet.'
          : 'No key matches.',
    );
    this.#count.hidden = shown.length > 0;
    this.#revoked.root.hidden = revoked === 0;
    this.#table.update({
      entries: shown.map((key) => ({ key, calls: this.#usage.find(key.id) })),
      canChange: this.#canChange,
    });
    this.#usage.request(shown.slice(0, MAX_DISPLAYED_KEYS).map(({ id }) => id));
  }

  #say(text: string): void {
    setText(this.#says, text);
  }

  #put(key: ListedKey): void {
    this.#keys = new Map(this.#keys).set(key.id, key);
    this.#show();
  }

  async #refresh(): Promise<void> {
    try {
      this.#keys = byId(await this.#request(this.#parts.api.list()));
      this.#show();
      this.#say(`Refreshed: ${formatCount(this.#keys.size)} keys, revoked ones included.`);
    } catch (error) {
      this.#say((error as Error).message);
    }
  }

  /** Waits for an answer. Locks the view if the credential is no longer accepted. @throws ApiFailure */
  async #request<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof ApiFailure && error.status === 401)
        this.#parts.onLock('the credential is no longer accepted: enter another one');
      throw error;
    }
  }

  /** Waits for the answer to a change. @throws Error that says if the change may have been made */
  async #change<T>(answer: Promise<T>): Promise<T> {
    try {
      return await this.#request(answer);
    } catch (error) {
      if (!(error instanceof ApiFailure) || !error.isUncertain) throw error;
      void this.#refresh();
      throw new ApiFailure(`${error.message}. The list shows whether the change was made`, error.status);
    }
  }

  #openCreation(): void {
    const form = new KeyForm(this.#parts.listNetworks(), undefined);
    this.#dialog.openForm({
      title: 'Create a key',
      content: [form.root],
      action: 'Create',
      run: async () => {
        const { name, hasSecret, settings } = form.read();
        this.#showNewKey(
          `The key ${name} is created`,
          await this.#change(this.#parts.api.create(name, hasSecret, settings)),
        );
      },
    });
  }

  #openUpdate(key: ListedKey): void {
    const form = new KeyForm(this.#parts.listNetworks(), key);
    this.#dialog.openForm({
      title: `Change ${key.name}`,
      content: [form.root],
      action: 'Save',
      run: async () => {
        const { name, settings } = form.read();
        const patch = compareSettings(key.settings, settings);
        const isRenamed = name !== key.name;
        if (!isRenamed && Object.keys(patch).length === 0) {
          this.#say(`Nothing changed in ${key.name}.`);
          return;
        }
        const change = { ...(isRenamed && { name }), settings: patch };
        this.#put(await this.#change(this.#parts.api.update(key.id, change)));
        this.#say(`The key ${name} is changed. Requests see the change within a second.`);
      },
    });
  }

  #openRotation(key: ListedKey): void {
    const grace = new TextField({
      name: 'Earlier value stays valid for',
      required: true,
      hint: '',
      kind: {
        ...plainKind('Such as `24h`; `0s` ends it at once. At most `365d`.'),
        choices: ['0s', '1h', '24h', '7d'],
      },
    });
    grace.write('24h');
    this.#dialog.openForm({
      title: `Rotate ${key.name}`,
      content: [
        element('p', {}, 'The key gets a new value. Its id, limits and secret stay the same.'),
        grace.root,
      ],
      action: 'Rotate',
      run: async () => {
        const answer = await this.#change(this.#parts.api.rotate(key.id, grace.read() as string));
        this.#showNewKey(`The key ${key.name} has a new value`, answer);
      },
    });
  }

  #openRevocation(key: ListedKey): void {
    this.#dialog.openForm({
      title: `Revoke ${key.name}?`,
      content: [
        element(
          'p',
          {},
          `Requests with the key ${key.name} (${key.id}) are refused within a second. A revoked key cannot be used again.`,
        ),
      ],
      action: 'Revoke for ever',
      isFinal: true,
      run: async () => {
        this.#put(await this.#change(this.#parts.api.revoke(key.id)));
        this.#say(`The key ${key.name} is revoked.`);
      },
    });
  }

  #showNewKey(title: string, answer: NewKey): void {
    this.#put(answer.record);
    this.#say(`${title}.`);
    this.#dialog.openOnce(title, createNewKeyView(answer));
  }
}

function byId(keys: readonly ListedKey[]): ReadonlyMap<string, ListedKey> {
  return new Map(keys.map((key) => [key.id, key]));
}

function createButton(text: string, onClick: () => void, kind = ''): HTMLButtonElement {
  const button = element('button', { type: 'button', class: kind }, text);
  button.addEventListener('click', onClick);
  return button;
}
