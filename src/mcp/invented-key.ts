import { randomBytes } from 'node:crypto';
import { GatewayClient } from './gateway-client.ts';
import type { GatewayNetworks } from './gateway-url.ts';
import { GatewayWork } from './gateway-work.ts';
import { ToolError } from './tool-error.ts';

const ACCEPTED = 200;
/** HTTP status of answers to keys that do not exist. */
const UNKNOWN_KEY = 401;

/**
 * Sends one request with an invented key.
 * @returns whether the gateway refuses the key; undefined if its answer does not say, for example because it is overloaded. Never rejects
 */
export async function refusesInventedKey(
  gateway: GatewayNetworks,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const work = new GatewayWork();
  let answered: number | undefined;
  try {
    const url = gateway.urlOf(gateway.networks[0] as string, randomBytes(24).toString('base64url'));
    const client = new GatewayClient(url, work, {
      onStatus: (status) => {
        answered = status;
      },
    });
    await client.request('eth_chainId', [], signal);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
  } finally {
    work.end();
  }
  if (answered === UNKNOWN_KEY) return true;
  return answered === ACCEPTED ? false : undefined;
}
