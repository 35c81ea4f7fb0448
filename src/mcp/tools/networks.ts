import { objectOf } from '../../rpc/codec/object-codec.ts';
import { toNumber } from '../format-values.ts';
import { defineTool, type Tool } from '../tool.ts';

/** The server runs this tool once for each network, and joins the answers. */
export const networksTool: Tool = defineTool({
  name: 'networks',
  title: 'List the networks',
  description: 'Lists the served networks with their chain id, head and state.',
  methods: ['eth_chainId', 'eth_syncing', 'eth_getBlockByNumber'],
  isOfAllNetworks: true,
  args: objectOf('networks', {}),
  async handle(_, run) {
    const [chainId, syncing] = await Promise.all([
      run.request('eth_chainId', []),
      run.request('eth_syncing', []),
      run.stamp(),
    ]);
    return { chainId: toNumber(chainId), isSyncing: syncing !== false };
  },
});
