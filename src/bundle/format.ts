/** File format of proof bundles: canonical JSON, described in docs/bundles.md. */
import * as z from 'zod';
import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../packages/ethereum/primitives/keccak.ts';
import { REVISIONS, type Revision } from '../../packages/evm/interpreter/revisions/revisions.ts';
import type { L1CostMode, RollupInfo } from '../rollup/rollup-family.ts';
import { describeIssue } from '../util/describe-issue.ts';
import { findShapeProblem } from './shape-problem.ts';

/** Reason why a bundle is rejected; the message is a sentence without a full stop. */
export class BundleError extends Error {
  override readonly name = 'BundleError';
}

/** Error for a method that bundles do not support, or for invalid parameters. */
export class BundleRequestError extends BundleError {}

const FORMAT = 'portcullis-bundle/1';

/** EVM rules of the chain at the block. The rules are not part of the block, so the block hash does not prove them. Numbers are hex quantities. */
export type Rules = {
  readonly chainId: string;
  /** Name of the EVM revision, which must match the fields of the header. */
  readonly fork: Revision;
  /** Divisor in the formula of the blob base fee (EIP-4844); null before Cancun. */
  readonly blobBaseFeeUpdateFraction: string | null;
};

/** Configuration of the rollup methods `l2_estimateGas` and `rollup_getInfo`. */
export type RollupSettings = {
  readonly family: string;
  readonly prefix: string;
  readonly mode: RollupInfo['mode'];
  readonly l1CostMode: L1CostMode;
  readonly messageService: string | null;
};

/** Value that was read from a node and is not covered by evidence. */
export type Reading = {
  readonly source: 'chain' | 'l1' | 'opNode';
  readonly question: readonly unknown[];
  readonly outcome:
    | { readonly value: unknown }
    | { readonly unsupported: true }
    | { readonly error: { readonly kind: string; readonly message: string } };
};

/** Parts of a bundle that are not covered by evidence. */
export type Uncovered = {
  readonly rules: Rules | null;
  readonly rollup: RollupSettings | null;
  readonly readings: readonly Reading[];
  /** Paths of the answer's members without evidence, in ascending order. */
  readonly members: readonly string[];
};

/** Evidence for an answer. All values are hex data. */
export type BundleEvidence = {
  /** RLP of the block's header. */
  readonly header: string;
  /** RLP of the headers of ancestors, starting with the parent. */
  readonly ancestors: readonly string[];
  /** All transactions of the block, encoded as in the transactions trie. */
  readonly transactions: readonly string[];
  /** RLP of all uncles of the block. */
  readonly uncles: readonly string[];
  /** RLP of trie nodes, in ascending order. */
  readonly nodes: readonly string[];
  /** Contract codes, in ascending order. */
  readonly codes: readonly string[];
};

export type BundleAnswer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: string } };

/** Request, its answer at a block, the evidence for the answer, and the parts that are not covered by evidence. */
export type Bundle = {
  readonly method: string;
  readonly params: readonly unknown[];
  /** Block at which the request was answered; `number` is a hex quantity. */
  readonly block: { readonly number: string; readonly hash: string };
  readonly answer: BundleAnswer;
  readonly evidence: BundleEvidence;
  readonly told: Uncovered;
};

// The group does not capture: a capturing group uses stack for each byte, and the text may have many millions of bytes.
const dataSchema = z.string().regex(/^0x(?:[0-9a-f]{2})*$/, 'expected hex data in lower case');
const hashSchema = z.string().regex(/^0x[0-9a-f]{64}$/, 'expected a hash in lower case');
export const quantitySchema: z.ZodType<string> = z
  .string()
  .regex(/^0x(0|[1-9a-f][0-9a-f]*)$/, 'expected a quantity in lower case');

/** Any JSON value. */
const jsonSchema = z.unknown().refine((value) => value !== undefined, 'is missing');

type BundleFile = { readonly format: typeof FORMAT } & Bundle & { readonly digest: string };

/** Schema of a bundle file, with the members in the order of the text. */
const fileSchema: z.ZodType<BundleFile> = z.strictObject({
  format: z.literal(FORMAT),
  method: z.string(),
  params: z.array(z.unknown()),
  block: z.strictObject({ number: quantitySchema, hash: hashSchema }),
  answer: z.union([
    z.strictObject({ result: jsonSchema }),
    z.strictObject({
      error: z.strictObject({ code: z.int(), message: z.string(), data: dataSchema.exactOptional() }),
    }),
  ]),
  evidence: z.strictObject({
    header: dataSchema,
    ancestors: z.array(dataSchema),
    transactions: z.array(dataSchema),
    uncles: z.array(dataSchema),
    nodes: z.array(dataSchema),
    codes: z.array(dataSchema),
  }),
  told: z.strictObject({
    rules: z
      .strictObject({
        chainId: quantitySchema,
        fork: z.enum(REVISIONS),
        blobBaseFeeUpdateFraction: quantitySchema.nullable(),
      })
      .nullable(),
    rollup: z
      .strictObject({
        family: z.string(),
        prefix: z.string().regex(/^[a-z][a-zA-Z0-9]{0,31}$/, 'expected a method prefix'),
        mode: z.enum(['sequencer', 'verifier']),
        l1CostMode: z.enum(['folded', 'excluded']),
        messageService: z
          .string()
          .regex(/^0x[0-9a-f]{40}$/, 'expected an address in lower case')
          .nullable(),
      })
      .nullable(),
    readings: z.array(
      z.strictObject({
        source: z.enum(['chain', 'l1', 'opNode']),
        question: z.array(z.unknown()).min(1),
        outcome: z.union([
          z.strictObject({ value: jsonSchema }),
          z.strictObject({ unsupported: z.literal(true) }),
          z.strictObject({ error: z.strictObject({ kind: z.string(), message: z.string() }) }),
        ]),
      }),
    ),
    members: z.array(z.string()),
  }),
  digest: hashSchema,
});

/** Placeholder of the digest in a bundle, and number of characters from the comma before the member `digest` to the end of the bundle. */
const NO_DIGEST = `0x${'0'.repeat(64)}`;
const END_LENGTH = `,"digest":"${NO_DIGEST}"}`.length;

/** Returns the canonical text of a bundle. */
export function encodeBundle(bundle: Bundle): string {
  // Parsing puts the members into the order of the schema.
  const text = JSON.stringify(fileSchema.parse({ format: FORMAT, ...bundle, digest: NO_DIGEST }));
  const content = `${text.slice(0, -END_LENGTH)}}`;
  // The digest covers the text without the digest itself. A digest only detects damage, since anyone can compute it.
  const digest = bytesToHex(keccak256(new TextEncoder().encode(content)));
  return `${content.slice(0, -1)},"digest":"${digest}"}\n`;
}

/** Decodes a bundle. @throws BundleError unless the text is exactly the result of `encodeBundle` for a bundle */
export function decodeBundle(text: string): Bundle {
  const parsed = fileSchema.safeParse(parseJson(text));
  if (!parsed.success)
    throw new BundleError(`the file is not a bundle: ${describeIssues(parsed.error.issues)}`);
  const { format: _, digest: _digest, ...bundle } = parsed.data;
  if (hasUpperCaseHex(bundle.params) || hasUpperCaseHex(bundle.answer))
    throw new BundleError('the file has hex digits in upper case');
  if (encodeBundle(bundle) !== text)
    throw new BundleError(
      'the file is damaged: its digest, the line feed at its end, or the order or spacing of its members is not right',
    );
  return bundle;
}

function describeIssues([first]: readonly z.core.$ZodIssue[]): string {
  if (first === undefined) return 'its format is not known';
  const where = first.path.join('.');
  return `${where === '' ? '' : `${where}: `}${describeIssue(first)}`;
}

function parseJson(text: string): unknown {
  const problem = findShapeProblem(text);
  if (problem !== undefined) throw new BundleError(`the file is not a bundle: ${problem}`);
  try {
    return JSON.parse(text);
  } catch {
    throw new BundleError('the file is not a bundle: it is not JSON');
  }
}

const HEX = /^0[xX][0-9a-fA-F]*$/;

/** Returns an equivalent value with hex texts in lower case. */
export function lowerHex(value: unknown): unknown {
  if (typeof value === 'string') return HEX.test(value) ? value.toLowerCase() : value;
  if (Array.isArray(value)) return value.map(lowerHex);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [lowerHex(name) as string, lowerHex(member)]),
  );
}

function hasUpperCaseHex(value: unknown): boolean {
  return JSON.stringify(lowerHex(value)) !== JSON.stringify(value);
}
