import { TextField } from '../console/text-field.ts';
import { element } from '../dom.ts';
import { createCheckbox } from './checkbox.ts';
import { listKind, numberKind, plainKind, timeKind } from './form-kinds.ts';
import type { ChosenSettings, ListedKey } from './wire.ts';

/** Values of the form of a key. */
export type KeyValues = {
  readonly name: string;
  readonly hasSecret: boolean;
  readonly settings: ChosenSettings;
};

const EVERY = 'Empty: all.';

/** Fields of a new key, or of the limits of a key. */
export class KeyForm {
  readonly root: HTMLElement;
  readonly #name: TextField;
  readonly #fields: Readonly<Record<Exclude<keyof ChosenSettings, 'send' | 'rate'>, TextField>>;
  readonly #perSecond: TextField;
  readonly #burst: TextField;
  readonly #cannotSend = createCheckbox('May not send transactions');
  readonly #secret = createCheckbox('Requests must carry a secret besides the key');
  /** Settings before the change, and the texts that the form shows for them. */
  #before: Readonly<Record<string, unknown>> = {};
  readonly #texts = new Map<string, string>();

  /**
   * @param networks names of the networks of the service, as choices
   * @param record key to change; undefined for a new key
   */
  constructor(networks: readonly string[], record: ListedKey | undefined) {
    const list =
      networks.length === 0 ? '' : ` This service has ${networks.map((n) => `\`${n}\``).join(', ')}.`;
    this.#name = createField('Name', plainKind('Names the owner, for example an application.'), true);
    this.#perSecond = createField('Calls per second', numberKind('Empty: no limit.', false));
    this.#burst = createField(
      'Burst',
      numberKind('Calls at once after a pause; only with calls per second.', true),
    );
    this.#fields = {
      dailyCredits: createField('Credits per day', numberKind('Empty: no limit.', true)),
      networks: createField('Networks', listKind(`${EVERY}${list}`)),
      methods: createField('Methods', listKind(EVERY, 'eth_call, eth_getLogs')),
      addresses: createField('Contracts', listKind(EVERY, '0x…')),
      origins: createField(
        'Origins',
        listKind('Web pages that may use the key. Empty: all.', 'https://*.example.org'),
      ),
      userAgents: createField('User agents', listKind(`Parts of the header. ${EVERY}`, '', /[,\n]+/)),
      jwt: createField('Token issuer', plainKind('Name in `access.jwt`. Empty: no token.')),
      expiresAt: createField('Valid until', timeKind('UTC. Empty: no end.')),
    };
    const {
      dailyCredits,
      networks: chosen,
      methods,
      addresses,
      origins,
      userAgents,
      jwt,
      expiresAt,
    } = this.#fields;
    const more = element('details', {}, element('summary', {}, 'More limits'));
    more.append(
      element(
        'div',
        { class: 'key-fields' },
        ...[addresses, origins, userAgents, jwt, expiresAt].map(({ root }) => root),
      ),
      this.#cannotSend.root,
    );
    this.root = element('div');
    this.root.append(
      this.#name.root,
      element(
        'div',
        { class: 'key-fields' },
        ...[this.#perSecond, this.#burst, dailyCredits, chosen, methods].map(({ root }) => root),
      ),
      more,
    );
    if (record === undefined) this.root.append(this.#secret.root);
    else this.#write(record);
    const { settings = {} } = record ?? {};
    more.open =
      settings.send === false ||
      [settings.addresses, settings.origins, settings.userAgents, settings.jwt, settings.expiresAt].some(
        (value) => value !== undefined,
      );
  }

  /** @throws FieldProblem for an invalid field */
  read(): KeyValues {
    const name = this.#name.read() as string;
    const perSecond = this.#perSecond.read() as number | undefined;
    const burst = this.#burst.read() as number | undefined;
    const rate = perSecond === undefined ? undefined : { perSecond, ...(burst !== undefined && { burst }) };
    const entries = Object.entries(this.#fields).map(
      ([key, field]) => [key, this.#readField(key, field)] as const,
    );
    const send = this.#cannotSend.input.checked ? false : this.#before['send'] === true ? true : undefined;
    const settings = [...entries, ['rate', rate] as const, ['send', send] as const].filter(
      ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
    );
    return { name, hasSecret: this.#secret.input.checked, settings: Object.fromEntries(settings) };
  }

  /** A field with unchanged text keeps its original value, even if the text would be parsed to another one. */
  #readField(key: string, field: TextField): unknown {
    return field.text === this.#texts.get(key) ? this.#before[key] : field.read();
  }

  #write({ name, settings }: ListedKey): void {
    this.#before = settings;
    this.#name.write(name);
    this.#perSecond.write(settings.rate?.perSecond);
    this.#burst.write(settings.rate?.burst);
    for (const [key, field] of Object.entries(this.#fields)) {
      field.write(this.#before[key]);
      this.#texts.set(key, field.text);
    }
    this.#cannotSend.input.checked = settings.send === false;
  }
}

function createField(name: string, kind: ReturnType<typeof plainKind>, required = false): TextField {
  return new TextField({ name, required, hint: '', kind });
}
