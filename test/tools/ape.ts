/** ape: an ad-hoc network by URL; reads blocks, receipts, logs, calls and traces; deploys a contract and sends to it with ape's own key. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventTopic } from '../../scripts/contracts/abi.ts';
import { DEPLOYER, LOGGED_ABI } from './logged-abi.ts';
import { installFromPypi, runTool, type Tool } from './tool.ts';

const SCRIPT = `import json, os, sys
url, key, logger, head, home = sys.argv[1:]
head, peer = int(head), '0x' + '77' * 20
os.environ['HOME'] = os.environ['APE_DATA_FOLDER'] = home
from ape import Contract, accounts, chain, networks
from ape.contracts import ContractContainer
from ape.exceptions import ApeException, ContractLogicError
from ape_accounts import import_account_from_private_key
from ethpm_types import ContractType
from eth_utils import to_checksum_address

# Its estimate runs on the head, whose base fee may be above that of the next block, which it would take.
FEE = 10**10
logger = to_checksum_address(logger)

def note(what, *values):
    print('>', what, *(json.dumps(one, default=str, sort_keys=True) for one in values))

missing = {'type': 'function', 'name': 'missing', 'stateMutability': 'view', 'inputs': [], 'outputs': []}
abi = [*json.loads('''${JSON.stringify(LOGGED_ABI)}'''), missing]

with networks.parse_network_choice(url) as provider:
    note('chain', provider.chain_id, provider.network.name)
    for number in range(head + 1):
        block = provider.get_block(number)
        note('block', block.model_dump(by_alias=True))
        for transaction in block.transactions:
            receipt = provider.get_receipt(transaction.txn_hash.to_0x_hex())
            note('transaction', transaction.model_dump(by_alias=True))
            note('receipt', receipt.model_dump(by_alias=True, exclude={'transaction'}), receipt.logs)
    contract = Contract(logger, abi=abi)
    for log in contract.Logged.range(0, head + 1):
        note('log', log.model_dump(by_alias=True))
    frame = contract.Logged.query('*', start_block=0, stop_block=head)
    note('query', frame.to_dict())
    note('code', str(provider.get_code(logger)))
    note('storage', str(provider.get_storage(logger, 0)), str(provider.get_storage(logger, 0, block_id=1)))
    note('balance', provider.get_balance(peer), provider.get_balance(peer, block_id=0))
    note('call', contract.log1.call(7, b'\\x42' * 32))
    # The service says why in geth's words, anvil in its own.
    try:
        contract.missing()
    except ApeException as error:
        note('failed call', type(error).__name__)
    account = import_account_from_private_key('sender', 'a passphrase', key)
    account.set_autosign(True, passphrase='a passphrase')
    note('estimate', contract.log1.estimate_gas_cost(7, b'\\x42' * 32, sender=account, max_fee=FEE))
    container = ContractContainer(ContractType.model_validate({'contractName': 'Logger', 'abi': abi, 'deploymentBytecode': {'bytecode': '${DEPLOYER}' + str(provider.get_code(logger).hex()).removeprefix('0x')}}))
    deployed = account.deploy(container, max_fee=FEE)
    note('deployed', deployed.creation_metadata.receipt.gas_used, str(deployed.creation_metadata.deployer), str(provider.get_code(deployed.address)) == str(provider.get_code(logger)))
    receipt = deployed.log1(9, bytes.fromhex('${eventTopic('Logged(uint256)').slice(2)}'), sender=account, max_fee=FEE)
    note('sent', receipt.status, receipt.gas_used, receipt.type, [log['data'] for log in receipt.logs])
    note('event', [event.value for event in receipt.events])
    note('trace', provider.supports_tracing, receipt.trace.get_calltree().model_dump(mode='json', exclude={'address', 'contract_id'}))
    try:
        deployed.missing.transact(sender=account, max_fee=FEE)
    except ApeException as error:
        note('refused', type(error).__name__)
    try:
        deployed.missing.transact(sender=account, max_fee=FEE, gas=100_000)
    except ApeException as error:
        note('failed', type(error).__name__)
    note('nonce', provider.get_nonce(account.address, block_id=0))
`;

export const APE: Tool = {
  name: 'ape',
  does: 'an ad-hoc network: blocks, receipts, logs, calls; a contract deployed, sent to and traced',
  nodes: ['anvil', 'geth'],
  install: (folder) => installFromPypi(folder, ['eth-ape']),
  async run({ url, key, contract, head }, folder) {
    writeFileSync(join(folder, 'work.py'), SCRIPT);
    const home = mkdtempSync(join(folder, 'home-'));
    try {
      const args = ['work.py', url, key, contract, String(head), home];
      const printed = await runTool(folder, join(folder, 'venv/bin/python'), args);
      // ape's log contains transaction hashes and addresses, which differ between runs.
      return printed
        .split('\n')
        .filter((line) => line.startsWith('>'))
        .join('\n');
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
};
