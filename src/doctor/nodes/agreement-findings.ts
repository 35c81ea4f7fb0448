import { type AgreementOptions, countVoices } from '../../chains/upstream/agreement/options.ts';
import { listNames } from './list-names.ts';
import type { NodeReport, ReportFinding } from './network-report.ts';

/**
 * Reports whether enough operators have a usable node to satisfy `agreement`, counted over all configured operators.
 * @param operators operator of each node, in the order of `nodes`
 */
export function listAgreementFindings(
  nodes: readonly NodeReport[],
  operators: readonly string[],
  agreement: AgreementOptions | undefined,
): readonly ReportFinding[] {
  if (agreement === undefined) return [];
  const configured = new Set(operators);
  const there = new Set(operators.filter((_, i) => nodes[i]?.standing === 'usable'));
  const needed = countVoices(agreement, configured.size);
  const problem = `agreement needs the same answer of ${needed} of the ${configured.size} configured operators, and nodes of ${there.size} can be asked`;
  if (there.size >= needed) {
    const spare = there.size - needed;
    const advice =
      spare === 0
        ? 'each of them has to answer: while one does not, nothing new is believed'
        : `${spare} of them may be silent`;
    return [{ severity: 'note', problem, advice }];
  }
  const silent = listNames([...configured].filter((operator) => !there.has(operator)));
  const advice = `nothing new is believed until nodes of ${silent} answer: verify: require refuses what depends on the head, auto calls it one node's word`;
  return [{ severity: 'error', problem, advice }];
}
