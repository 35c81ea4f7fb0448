import { ChainError } from '../../chain/errors.ts';
import { Lru } from '../../util/lru.ts';
import { UnknownExecutionError } from '../fault.ts';
import { createPolicy, type Policy } from '../policy-stack.ts';
import type { Directed } from '../routed-call.ts';
import type { Upstream } from '../upstream.ts';

/** Texts that are remembered, and for how long: what two nodes once agreed on need not be true for ever. */
const MAX_TEXTS = 256;
const REMEMBERED_MS = 600_000;
/** UTF-16 units by which texts are distinguished. */
const MAX_LENGTH = 200;

/** geth's code for anything, and those of Parity and Nethermind for executions that fail. */
const EXECUTION_CODES: ReadonlySet<number> = new Set([-32000, -32010, -32015]);
/** Words of a node in trouble, which two may be in at the same time: such a text is asked of a second node every time. */
const TROUBLE =
  /\b(?:auth|busy|clos|connect|crash|database|denied|dial|disk|forbidden|head|history|i\/o|internal|key|later|load|memory|missing|not (?:available|found|ready)|panic|permission|plan|pruned|quota|rate|resource|retry|server|shut|snapshot|socket|state|sync|temporar|time|trie|unavailable|upstream)/i;

const HEX = /0x[0-9a-f]{0,200}/g;
const DIGITS = /\d{1,200}/g;

/**
 * An execution error in unknown words is an answer when a second upstream says the same; from then on it is one without
 * asking a second. One upstream alone cannot bring that about, whatever it says.
 * @param onLearnt a text has been confirmed and will be known from now on
 */
export function confirmErrors(
  onLearnt: (error: UnknownExecutionError, upstream: Upstream, method: string) => void,
  now?: () => number,
): Policy<Directed> {
  const known = new Lru<string, true>(MAX_TEXTS, REMEMBERED_MS, now);
  const judge = ({ call, route, upstream }: Directed, error: unknown): unknown => {
    if (!(error instanceof UnknownExecutionError)) return error;
    const text = normalise(error.message);
    const answer = new ChainError('failed', error.message);
    if (known.get(text) === true) return answer;
    const isConfirmed = route.claims.some(
      (claim) => claim.upstream !== upstream && normalise(claim.error.message) === text,
    );
    if (!isConfirmed) {
      route.addClaim({ upstream, error });
      return error;
    }
    route.takeClaims();
    if (EXECUTION_CODES.has(error.code) && !TROUBLE.test(error.message)) {
      known.set(text, true);
      onLearnt(error, upstream, call.method);
    }
    return answer;
  };
  return createPolicy({ onError: judge });
}

/** The same for texts that differ in addresses, numbers and case. */
function normalise(text: string): string {
  return text.slice(0, MAX_LENGTH).toLowerCase().replace(HEX, '#').replace(DIGITS, '#');
}
