import { createMemoryCache } from '../cache/memory-cache.ts';
import { ChainError } from '../chain/errors.ts';
import type { NetworkOptions } from '../config/network-options.ts';
import { createLogger } from '../observe/logger.ts';
import type { Evidence } from '../rollup/evidence.ts';
import { recogniseFamily } from '../rollup/recognise-family.ts';
import { findUnknownFunctions } from '../rollup/unknown-functions.ts';
import { openNodes } from '../service/open-chain.ts';
import { RequestScope } from '../util/request-scope.ts';
import { awaitNodes } from './await-nodes.ts';

const CACHE = { bytes: 1 << 20, entryBytes: 1 << 18 };
const LIMIT_MS = 15_000;

/** Recognised family of a rollup, and the marks (evidence) of families that its nodes show. */
export type FamilyDiagnosis = {
  /** Name of the recognised family; undefined if the nodes have the distinguishing features of no family. */
  readonly recognised?: string;
  /** Results for each distinguishing feature (mark) of the recognised family and of the configured family, including absent features. */
  readonly evidence: readonly { readonly family: string; readonly marks: readonly Evidence[] }[];
  /**
   * Functions of the family's gas price oracle that this version does not know. Such functions indicate that the rollup has a later fork than this
   * version supports.
   */
  readonly unknownFunctions?: readonly string[];
  /** Reason why the nodes could not be examined. */
  readonly reason?: string;
};

/** Recognises the rollup family with the code of the service. Returns undefined if the network is not a rollup, or has no nodes. */
export async function tryFamily(
  network: string,
  { upstreams, pool, rollup }: NetworkOptions,
): Promise<FamilyDiagnosis | undefined> {
  if (upstreams === undefined || rollup === undefined) return undefined;
  const backends = { cache: createMemoryCache(CACHE), log: createLogger('silent') };
  const chain = await openNodes(network, upstreams, backends, { pool, verify: 'off' });
  try {
    await awaitNodes(chain);
    const scope = new RequestScope(performance.now() + LIMIT_MS);
    const { row, shown } = await recogniseFamily(chain, scope);
    const evidence = shown
      .filter(({ family }) => family === row?.name || family === rollup.family)
      .map(({ family, evidence: marks }) => ({ family, marks }));
    const unknownFunctions =
      row?.oracle === undefined ? [] : await findUnknownFunctions(chain, row.oracle, scope);
    return {
      ...(row !== undefined && { recognised: row.name }),
      evidence,
      ...(unknownFunctions.length > 0 && { unknownFunctions }),
    };
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    return { evidence: [], reason: error.message };
  } finally {
    await chain.close();
  }
}

const SEEN = { true: 'yes', false: 'no ', undefined: '?  ' } as const;

/** Formats one line for the result, and one per mark. */
export function describeFamily(
  { recognised, evidence, reason, unknownFunctions = [] }: FamilyDiagnosis,
  configured: string | undefined,
): string {
  const lines = evidence.flatMap(({ family, marks }) =>
    marks.map(({ says, isSeen }) => `    ${SEEN[`${isSeen}`]}  ${family}: ${says}\n`),
  );
  const news =
    unknownFunctions.length === 0
      ? ''
      : `  warning: its oracle has functions that this version does not know: ${unknownFunctions.join(', ')}\n`;
  return [`\n  ${describeVerdict(recognised, reason, configured)}\n`, ...lines, news].join('');
}

function describeVerdict(
  recognised: string | undefined,
  reason: string | undefined,
  configured: string | undefined,
): string {
  if (reason !== undefined) return `the rollup family cannot be detected: ${reason}`;
  if (recognised === undefined)
    return configured === undefined
      ? 'the nodes do not show the marks of any rollup family: set rollup.family'
      : `the nodes show no marks of the family ${configured}`;
  if (configured === undefined || configured === recognised)
    return `the nodes show the rollup family ${recognised}`;
  return `warning: the configured rollup family is ${configured}, but the nodes look like ${recognised}`;
}
