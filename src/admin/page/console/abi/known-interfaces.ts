import type { FieldRow } from '../describe-value.ts';
import { decodeRevert, type Revert } from '../revert.ts';
import { type AbiValue, decodeValues, encodeValues, isHashedTopic } from './abi-values.ts';
import type { AbiParameter, ContractInterface, KnownItem } from './contract-interface.ts';
import { describeValues, summarizeValues } from './describe-abi-value.ts';
import { readStandardInterface, STANDARD_NAMES } from './standard-interfaces.ts';

/** Log as in answers; nodes may omit members. */
export type LogData = { readonly topics: readonly string[]; readonly data?: string };

/** Decoded call, event, error or returned value. */
export type Decoded = {
  readonly item: KnownItem;
  readonly rows: readonly FieldRow[];
  /** The values in one line. */
  readonly summary: string;
};

/** Decodes data of contracts by the interface that the user chose, and then by the built-in ones. */
export class KnownInterfaces {
  readonly #interfaces: readonly ContractInterface[];

  constructor(chosen: ContractInterface | undefined) {
    const standard = STANDARD_NAMES.map(readStandardInterface);
    this.#interfaces = chosen === undefined ? standard : [chosen, ...standard];
  }

  /** Decodes calldata (`0x` hex); undefined if no known function fits. */
  decodeCall(data: unknown): Decoded | undefined {
    return this.#decode('functions', data);
  }

  /** Decodes the data that a call returned, by the function in the call's data. */
  decodeReturn(calldata: unknown, returned: unknown): Decoded | undefined {
    const item = this.decodeCall(calldata)?.item;
    if (item?.outputs === undefined || typeof returned !== 'string') return undefined;
    const outputs = nameOnlyOutput(item.outputs);
    const values = decodeValues(outputs, returned.slice(2));
    if (values === undefined || outputs.length === 0) return undefined;
    const rows = describeValues(outputs, values);
    const [only] = rows;
    const summary = rows.length === 1 && only !== undefined ? only.text : summarizeValues(outputs, values);
    return { item, rows, summary };
  }

  /** Decodes revert data: `Error`, `Panic`, or an error of a known interface. */
  decodeRevert(data: string): Revert {
    const error = this.#decode('errors', data);
    if (error === undefined) return decodeRevert(data);
    const { item, rows, summary } = error;
    return { kind: item.signature, text: `${item.name}(${summary})`, rows };
  }

  /** Decodes a log by its first topic and the number of its topics. */
  decodeLog({ topics, data = '0x' }: LogData): Decoded | undefined {
    for (const item of this.#interfaces.flatMap(({ events }) => events)) {
      if (item.anonymous === true || item.selector !== topics[0]) continue;
      const values = decodeLogValues(item, topics.slice(1), data);
      if (values === undefined) continue;
      const { inputs } = item;
      const shown = inputs.map((input) =>
        input.indexed === true && isHashedTopic(input) ? { ...input, type: 'bytes32' } : input,
      );
      return { item, rows: describeValues(shown, values), summary: summarizeValues(shown, values) };
    }
    return undefined;
  }

  #decode(kind: 'functions' | 'errors', data: unknown): Decoded | undefined {
    if (typeof data !== 'string' || data.length < 10) return undefined;
    const selector = data.slice(0, 10).toLowerCase();
    for (const item of this.#interfaces.flatMap((one) => one[kind])) {
      if (item.selector !== selector) continue;
      const values = decodeValues(item.inputs, data.slice(10));
      if (values === undefined) continue;
      const { inputs } = item;
      return { item, rows: describeValues(inputs, values), summary: summarizeValues(inputs, values) };
    }
    return undefined;
  }
}

/** Names the only returned value if it has no name. */
function nameOnlyOutput(outputs: readonly AbiParameter[]): readonly AbiParameter[] {
  const [only] = outputs;
  const isNameless = outputs.length === 1 && only !== undefined && (only.name ?? '') === '';
  return isNameless ? [{ ...only, name: 'returned' }] : outputs;
}

/** Decodes indexed values from topics, and all other values from the data; undefined if they do not fit the event. */
function decodeLogValues(
  { inputs }: KnownItem,
  topics: readonly string[],
  data: string,
): readonly AbiValue[] | undefined {
  const indexed = inputs.filter((input) => input.indexed === true);
  if (indexed.length !== topics.length) return undefined;
  const fromTopics = indexed.map((input, i) => {
    const topic = topics[i] ?? '0x';
    return isHashedTopic(input) ? topic : decodeValues([input], topic.slice(2))?.[0];
  });
  const fromData = decodeValues(
    inputs.filter((input) => input.indexed !== true),
    data.slice(2),
  );
  if (fromData === undefined || fromTopics.includes(undefined)) return undefined;
  const [topicValues, dataValues] = [fromTopics.values(), fromData.values()];
  return inputs.map((input) => (input.indexed === true ? topicValues : dataValues).next().value as AbiValue);
}

/** Encodes a call of a function to calldata. @throws Error for a value outside of its type */
export function encodeFunctionCall({ selector, inputs }: KnownItem, values: readonly AbiValue[]): string {
  return selector + encodeValues(inputs, values);
}
