import type { ForkField } from '../../../../packages/ethereum/codecs/header.ts';
import type { RevisionRules } from '../../../../packages/evm/interpreter/revisions/revision-rules.ts';
import { REVISIONS, rulesOf } from '../../../../packages/evm/interpreter/revisions/revisions.ts';
import type { EthereumBounds, SendingRules } from '../../../chain/sending/check-sent-transaction.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import type { SendingParts } from './sending-parts.ts';

/**
 * Osaka activation times of Ethereum and its test networks by chain id, Unix seconds. The times are listed because no header field shows that Osaka
 * is active.
 */
const OSAKA_TIMES: ReadonlyMap<bigint, bigint> = new Map([
  [1n, 1_764_798_551n],
  [17_000n, 1_759_308_480n],
  [11_155_111n, 1_760_427_360n],
  [560_048n, 1_761_677_592n],
]);

/** Header members that show which fork is active. */
type HeaderMembers = Readonly<Partial<Record<ForkField | 'gasLimit' | 'timestamp', unknown>>>;

type RuleParts = Pick<SendingParts, 'chainId' | 'options' | 'isDevelopment' | 'tools' | 'answers' | 'heads'>;

/** Rules for the check of sent transactions at the served head; read once per head. */
export class SendingRuleBook {
  readonly #parts: RuleParts;
  #known: { readonly head: string; readonly bounds: EthereumBounds | undefined } | undefined;

  constructor(parts: RuleParts) {
    this.#parts = parts;
  }

  async read(scope: RequestScope): Promise<SendingRules> {
    const { options, isDevelopment } = this.#parts;
    const chainId = this.#parts.chainId.value;
    const kind = options.rules ?? (OSAKA_TIMES.has(chainId) ? 'ethereum' : 'form');
    return {
      chainId,
      allowsUnprotected: options.unprotected ?? isDevelopment,
      bounds: kind === 'ethereum' ? await this.#readBounds(scope) : undefined,
    };
  }

  /** Reads the transaction limits at the head; undefined if the header is unavailable, so that only the nodes check the limits. */
  async #readBounds(scope: RequestScope): Promise<EthereumBounds | undefined> {
    const { answers, heads } = this.#parts;
    const { served } = heads;
    if (served === undefined) return undefined;
    if (this.#known?.head === served.hash) return this.#known.bounds;
    let text: string | null;
    try {
      text = await answers.blocks.getHeaderObject(
        { kind: 'hash', hash: served.hash, requireCanonical: false },
        scope,
      );
    } catch {
      return undefined;
    }
    const bounds = text === null ? undefined : this.#readHeader(JSON.parse(text) as HeaderMembers);
    this.#known = { head: served.hash, bounds };
    return bounds;
  }

  #readHeader(header: HeaderMembers): EthereumBounds | undefined {
    const { gasLimit, timestamp } = header;
    if (typeof gasLimit !== 'string' || typeof timestamp !== 'string') return undefined;
    const told = findRevision(header);
    const isOsaka = BigInt(timestamp) >= (OSAKA_TIMES.get(this.#parts.chainId.value) ?? MAX_TIME);
    const revision = isOsaka && told.number < OSAKA.number ? OSAKA : told;
    return { revision, gasLimit: BigInt(gasLimit), measureGas: this.#parts.tools.measureGas };
  }
}

const MAX_TIME = 2n ** 64n;

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

const OSAKA = rulesOf('osaka');

/** Revisions that added header fields, each with the added fields, newest revision first. */
const REPORTED_BY_HEADER: readonly {
  readonly rules: RevisionRules;
  readonly fields: readonly ForkField[];
}[] = REVISIONS.map(rulesOf)
  .map((rules) => {
    const before = REVISIONS[rules.number - 1];
    const known = before === undefined ? undefined : rulesOf(before).headerFields;
    return { rules, fields: [...rules.headerFields].filter((field) => known?.has(field) !== true) };
  })
  .filter(({ fields }) => fields.length > 0)
  .reverse();

/**
 * Finds the revision from the fields of a header. If the header has no base fee (London), the revision is Berlin, because Berlin is active on all
 * chains by now.
 */
function findRevision(header: HeaderMembers): RevisionRules {
  // A revision is found by any of its fields, because a node may omit the others: execution-apis does not define `slotNumber`.
  const told = REPORTED_BY_HEADER.find(({ fields }) => fields.some((field) => isPresent(header[field])));
  return told?.rules ?? rulesOf('berlin');
}
