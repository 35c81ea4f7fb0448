import { createReadStream } from 'node:fs';
import { encodeQuantity } from '../../packages/ethereum/primitives/quantity.ts';
import { REVISIONS } from '../../packages/evm/interpreter/revisions/revisions.ts';
import { type Bundle, BundleError, type Uncovered } from '../bundle/format.ts';
import { type Expected, verifyBundle } from '../bundle/verify-bundle.ts';
import { type Command, createCommand } from '../service/command.ts';
import { UsageError } from '../service/usage.ts';
import { describeSystemError } from '../util/system-error.ts';

const HASH = /^0x[0-9a-fA-F]{64}$/;
const CHAIN_ID = /^(\d{1,30}|0x[0-9a-fA-F]{1,25})$/;
/** Maximum size of a bundle file, bytes: larger than the largest answers with their evidence. */
const MAX_FILE_BYTES: number = 256 << 20;
const READ_BYTES: number = 1 << 20;
/** Maximum number of characters of an answer that are printed. */
const SHOWN = 200;

/** `portcullis verify` */
export const verifyCommand: Command = createCommand({
  name: 'verify',
  operands: ['FILE'],
  about: `Checks a bundle of \`portcullis prove\` against a block hash, offline.

    The answer must follow from what the block commits to. Take the hash from a source that you trust. What the evidence does
    not cover is printed as told, not proven.`,
  options: {
    hash: { value: 'HASH', isRequired: true, about: 'hash of the block: 0x and 64 hex digits' },
    'chain-id': {
      value: 'ID',
      about: 'for executed methods: required chain of the execution, decimal or 0x and hex digits',
    },
    fork: {
      value: 'NAME',
      choices: REVISIONS,
      about: 'for executed methods: required fork of the rules; BPO forks count as osaka',
    },
  },
  examples: ['portcullis verify bundle.json --hash 0x9b3f...'],
  exitCodes: {
    0: 'the bundle is verified',
    1: 'the bundle is refused',
    2: 'the bundle could not be checked, or the command line is invalid',
  },
  run: ({ hash, 'chain-id': id, fork }, [file = '']) => verifyFile(file, hash, id, fork),
});

async function verifyFile(
  file: string,
  hash: string,
  id: string | undefined,
  fork: Expected['fork'],
): Promise<number> {
  if (!HASH.test(hash)) throw new UsageError('--hash takes 0x and 64 hex digits');
  if (id !== undefined && !CHAIN_ID.test(id))
    throw new UsageError('--chain-id takes a number, decimal or 0x and hex digits');
  const expected: Expected = {
    hash: hash.toLowerCase(),
    ...(id !== undefined && { chainId: encodeQuantity(BigInt(id)) }),
    ...(fork !== undefined && { fork }),
  };
  const text = await readBundle(file);
  try {
    const bundle = await verifyBundle(text, expected);
    if (bundle.told.rules === null && (id ?? fork) !== undefined)
      throw new UsageError(`${bundle.method} executes nothing: remove --chain-id and --fork`);
    process.stdout.write(describeBundle(bundle, expected));
    return 0;
  } catch (error) {
    if (!(error instanceof BundleError)) throw error;
    process.stderr.write(`refused: ${maskControls(error.message)}\n`);
    return 1;
  }
}

/** @throws UsageError if the file cannot be read */
async function readBundle(file: string): Promise<string> {
  try {
    const chunks: Buffer[] = [];
    let size = 0;
    // The size is counted while reading, because the file may be a pipe.
    for await (const chunk of createReadStream(file, { highWaterMark: READ_BYTES })) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_FILE_BYTES) throw new UsageError(`${file} is larger than ${MAX_FILE_BYTES} bytes`);
    }
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (error instanceof TypeError) throw new UsageError(`${file} is not in UTF-8`);
    throw new UsageError(`${file}: ${describeSystemError(error)}`);
  }
}

function describeBundle({ method, params, block, answer, told }: Bundle, expected: Expected): string {
  const lines = [
    `verified: ${method} at block ${BigInt(block.number)}`,
    `  hash    ${block.hash}`,
    `  params  ${shorten(JSON.stringify(params))}`,
    'result' in answer
      ? `  answer  ${shorten(JSON.stringify(answer.result))}`
      : `  error   ${shorten(JSON.stringify(answer.error))}`,
  ];
  const unproven = listReported(told, expected);
  lines.push(unproven.length === 0 ? 'everything in the answer is proven' : 'told, not proven:');
  const all = [...lines, ...unproven.map((line) => `  ${line}`)];
  return `${all.map(maskControls).join('\n')}\n`;
}

/** Masks control characters: content of a file must not control the terminal, or change the direction or the lines of the printed text. */
function maskControls(line: string): string {
  return line.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
}

function listReported(
  { rules, rollup, readings, members }: Uncovered,
  { chainId, fork }: Expected,
): string[] {
  const lines = members.map((member) => `member  ${member}`);
  if (rules !== null) {
    const { blobBaseFeeUpdateFraction: fraction } = rules;
    if (chainId === undefined) lines.push(`chain   ${BigInt(rules.chainId)}`);
    if (fork === undefined) lines.push(`fork    ${rules.fork}`);
    if (fraction !== null) lines.push(`blobs   base fee update fraction ${BigInt(fraction)}`);
  }
  if (rollup !== null) lines.push(`rollup  ${JSON.stringify(rollup)}`);
  for (const { source, question, outcome } of readings)
    lines.push(`${source.padEnd(7)} ${JSON.stringify(question)}: ${shorten(JSON.stringify(outcome))}`);
  return lines;
}

function shorten(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}... (${text.length} characters)`;
}
