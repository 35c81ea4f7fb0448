import type { JsonText } from '../../../../packages/ethereum/primitives/json-result.ts';
import { ChainError } from '../../../chain/errors.ts';
import { NodeRefusal } from '../../../chain/node-refusal.ts';
import { type ParseWork, parseText } from '../../../pool/parse-text.ts';

const HEX = /^0x[0-9a-fA-F]*$/;
/** EVM errors for which geth's message contains the opcode or the stack heights, unlike the messages of revm and Nethermind. */
const HALT = /^(invalid opcode|stack underflow|stack limit reached)\b.*$/s;

/** Returns a key for comparing answers. Answers that differ only in member order or in the case of hex digits have the same key. */
export async function nameAnswer(answer: JsonText | ChainError, work: ParseWork): Promise<string> {
  if (!(answer instanceof ChainError)) return JSON.stringify(normalize(await parseText(answer, work)));
  const { kind, message } = answer;
  const { code, data } =
    answer instanceof NodeRefusal
      ? { code: answer.code, data: answer.nodeData }
      : { code: '', data: answer.data };
  return `${kind} ${code} ${kind === 'failed' ? withoutDetail(message) : message} ${JSON.stringify(normalize(data))}`;
}

/** Removes the opcode and the stack heights from the message of an EVM error, because only some clients report them. */
export function withoutDetail(message: string): string {
  return message.replace(HALT, '$1');
}

function normalize(value: unknown): unknown {
  if (typeof value === 'string') return HEX.test(value) ? value.toLowerCase() : value;
  if (Array.isArray(value)) return value.map(normalize);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return members.map(([name, member]) => [name, normalize(member)]);
}
