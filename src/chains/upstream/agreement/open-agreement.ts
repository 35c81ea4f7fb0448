import type { NetworkHead } from '../../../pool/heads/network-head.ts';
import { explainOutage } from '../../../pool/node-state.ts';
import type { Upstream } from '../../../pool/upstream.ts';
import { Agreement, type AgreementParts } from './agreement.ts';
import { type AgreementOptions, countVoices } from './options.ts';

type Options = Pick<AgreementParts, 'network' | 'log'> & {
  readonly agreement?: AgreementOptions | undefined;
  readonly verify: 'auto' | 'require' | 'off';
};

/** Creates the agreement of a network's operators if one is configured. Agreement is mandatory with `verify: require`. */
export function openAgreement(
  { network, log, agreement, verify }: Options,
  upstreams: readonly Upstream[],
): Agreement | undefined {
  if (agreement === undefined) return undefined;
  const operators = new Set(upstreams.map(({ operator }) => operator)).size;
  const needed = countVoices(agreement, operators);
  return new Agreement({ network, log, upstreams, needed, isDemanded: verify === 'require' });
}

/** Returns an error text that says why no node can be used, or that too few operators report the block. */
export function explainWithout(
  agreement: Agreement | undefined,
  head: Pick<NetworkHead, 'head' | 'unagreed' | 'hindrance'>,
  upstreams: readonly Upstream[],
): string {
  const outage = explainOutage(upstreams);
  const isShort = head.unagreed !== undefined || head.hindrance === 'voices';
  return agreement === undefined || !isShort ? outage : `${agreement.explainHead(head)}: ${outage}`;
}
