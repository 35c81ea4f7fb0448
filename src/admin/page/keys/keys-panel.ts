import type { NetworkStatus } from '../../../observe/status.ts';
import { element } from '../dom.ts';
import { ApiFailure, KeyApi } from './key-api.ts';
import { KeyList } from './key-list.ts';
import { createSetupNote } from './setup-note.ts';
import { UnlockForm } from './unlock-form.ts';

/** The view of keys. It needs the Admin API, and a credential that the user enters. */
export class KeysPanel {
  readonly root: HTMLElement = element('div');
  readonly #unlock: UnlockForm = new UnlockForm((token) => void this.#open(new KeyApi(token)));
  #api: KeyApi | undefined;
  #list: KeyList | undefined;
  #networks: readonly string[] = [];

  /** @param hasApi whether the admin server serves the Admin API */
  constructor(hasApi: boolean) {
    this.root.append(hasApi ? this.#unlock.root : createSetupNote());
    // A browser that goes back may restore the page as it was.
    addEventListener('pagehide', () => this.#lock());
  }

  setNetworks(networks: readonly NetworkStatus[]): void {
    this.#networks = networks.map(({ name }) => name);
  }

  async #open(api: KeyApi): Promise<void> {
    this.#api = api;
    try {
      const caller = await api.readCaller();
      const keys = await api.list();
      if (api.isClosed) return;
      this.#list = new KeyList({
        api,
        caller,
        keys,
        listNetworks: () => this.#networks,
        onLock: (reason) => this.#lock(reason),
      });
      this.#unlock.clear();
      this.root.replaceChildren(this.#list.root);
      document.getElementById('keys-title')?.focus();
    } catch (error) {
      if (api.isClosed) return;
      api.close();
      this.#unlock.fail(
        error instanceof ApiFailure && error.status === 401
          ? 'this is no token of admin.api'
          : (error as Error).message,
      );
    }
  }

  /** Forgets the credential and all keys. @param reason message about the lock; by default, there is none */
  #lock(reason?: string): void {
    this.#api?.close();
    this.#list?.close();
    this.#unlock.clear();
    if (this.#list === undefined) return;
    this.#list = undefined;
    this.root.replaceChildren(this.#unlock.root);
    if (reason === undefined) document.getElementById('keys-title')?.focus();
    else this.#unlock.fail(reason);
  }
}
