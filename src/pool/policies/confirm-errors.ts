import { ChainError } from '../../chain/errors.ts';
import { Lru } from '../../util/lru.ts';
import { UnknownExecutionError } from '../fault.ts';
import { createPolicy, type Policy } from '../policy-stack.ts';
import type { Upstream } from '../upstream.ts';
import type { Directed } from '../upstream-request.ts';

/** Maximum number of remembered texts. A text is forgotten after `REMEMBERED_MS`, because the agreement of two nodes about it may become obsolete. */
const MAX_TEXTS = 256;
const REMEMBERED_MS = 600_000;
/** Length of the prefix by which texts are compared, UTF-16 units. */
const MAX_LENGTH = 200;

/** geth's catch-all code, and Parity's and Nethermind's codes for failed executions. */
const EXECUTION_CODES: ReadonlySet<number> = new Set([-32000, -32010, -32015]);
/**
 * Matches texts that report a problem of the node. A text that reports a problem of the node is not remembered, and a second node must confirm it
 * each time: two nodes may have the same problem at the same time.
 */
const TROUBLE =
  /\b(?:auth|busy|clos|connect|crash|database|denied|dial|disk|forbidden|head|history|i\/o|internal|key|later|load|memory|missing|not (?:available|found|ready)|panic|permission|plan|pruned|quota|rate|resource|retry|server|shut|snapshot|socket|state|sync|temporar|time|trie|unavailable|upstream)/i;

const HEX = /0x[0-9a-f]{0,200}/g;
const DIGITS = /\d{1,200}/g;

/**
 * Accepts an unrecognized execution error as an answer if a second upstream reports the same text. After the confirmation, an error with this text
 * needs no second request. A single upstream can never make a text known.
 * @param onLearnt called when a confirmed text is remembered
 */
export function confirmErrors(
  onLearnt: (error: UnknownExecutionError, upstream: Upstream, method: string) => void,
  now?: () => number,
): Policy<Directed> {
  const known = new Lru<string, true>(MAX_TEXTS, REMEMBERED_MS, now);
  const classify = ({ call, route, upstream }: Directed, error: unknown): unknown => {
    if (!(error instanceof UnknownExecutionError)) return error;
    const text = normalise(error.message);
    const answer = new ChainError('failed', error.message);
    if (known.get(text) === true) return answer;
    const isConfirmed = route
      .claimsAbout(call)
      .some((claim) => claim.upstream !== upstream && normalise(claim.error.message) === text);
    if (!isConfirmed) {
      route.addClaim({ call, upstream, error });
      return error;
    }
    route.takeClaims(call);
    if (EXECUTION_CODES.has(error.code) && !TROUBLE.test(error.message)) {
      known.set(text, true);
      onLearnt(error, upstream, call.method);
    }
    return answer;
  };
  return createPolicy({ onError: classify });
}

/** Normalizes hex, numbers and letter case, so that texts that differ only in these become equal. */
function normalise(text: string): string {
  return text.slice(0, MAX_LENGTH).toLowerCase().replace(HEX, '#').replace(DIGITS, '#');
}
