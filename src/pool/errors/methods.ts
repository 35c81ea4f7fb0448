const EXECUTING = /_(?:call|estimate|simulate|createAccessList|traceCall)/i;
const ESTIMATING = /_estimate/i;

/** Whether a method runs contract code, which can revert: `eth_call`, `linea_estimateGas`, `debug_traceCall`. */
export function isExecuting(method: string): boolean {
  return EXECUTING.test(method);
}

/** Whether a method estimates gas. */
export function isEstimating(method: string): boolean {
  return ESTIMATING.test(method);
}

/** Whether a method sends a signed transaction. */
export function isSending(method: string): boolean {
  return method === 'eth_sendRawTransaction';
}
