"""The operations with web3.py: prints what it found as one JSON object."""
import asyncio
import json
import sys

from web3 import AsyncWeb3, Web3, WebSocketProvider

URL, SUBJECT = sys.argv[1], json.loads(sys.argv[2])
ACCOUNT = Web3.to_checksum_address(SUBJECT["account"])
OTHER = Web3.to_checksum_address(SUBJECT["other"])
TOKEN = Web3.to_checksum_address(SUBJECT["token"])
BLOCK = SUBJECT["block"]
CALL = {"to": TOKEN, "data": SUBJECT["callData"]}


def hex_of(value):
    return "0x" + bytes(value).hex()


def operations(eth):
    async def member(awaitable, read):
        return read(await awaitable)

    return {
        "chainId": lambda: eth.chain_id,
        "blockNumber": lambda: eth.block_number,
        "gasPrice": lambda: eth.gas_price,
        "priorityFee": lambda: eth.max_priority_fee,
        "feeHistory": lambda: member(
            eth.fee_history(4, "latest", [25, 75]), lambda history: " ".join(map(str, history["baseFeePerGas"]))
        ),
        "balance": lambda: eth.get_balance(ACCOUNT),
        "balanceAtBlock": lambda: eth.get_balance(ACCOUNT, BLOCK),
        "nonce": lambda: eth.get_transaction_count(ACCOUNT),
        "code": lambda: member(eth.get_code(TOKEN), hex_of),
        "storage": lambda: member(
            eth.get_storage_at(TOKEN, int(SUBJECT["slot"], 16)), lambda value: int.from_bytes(value, "big")
        ),
        "proof": lambda: member(
            eth.w3.manager.coro_request("eth_getProof", [ACCOUNT, [], "latest"]), lambda proof: len(proof["accountProof"])
        ),
        "blockByNumber": lambda: member(eth.get_block(BLOCK), lambda block: hex_of(block["hash"])),
        "blockByHash": lambda: member(eth.get_block(SUBJECT["blockHash"]), lambda block: block["number"]),
        "fullBlock": lambda: member(eth.get_block(BLOCK, True), lambda block: len(block["transactions"])),
        "transactionCount": lambda: eth.get_block_transaction_count(SUBJECT["blockHash"]),
        "transaction": lambda: member(eth.get_transaction(SUBJECT["transactionHash"]), lambda tx: tx["nonce"]),
        "receipt": lambda: member(
            eth.get_transaction_receipt(SUBJECT["transactionHash"]), lambda receipt: receipt["gasUsed"]
        ),
        "blockReceipts": lambda: member(eth.get_block_receipts(BLOCK), len),
        "logs": lambda: member(eth.get_logs({"address": TOKEN, "fromBlock": 0, "toBlock": "latest"}), len),
        "call": lambda: member(eth.call(CALL), hex_of),
        "estimate": lambda: eth.estimate_gas({"from": ACCOUNT, "to": OTHER, "value": 1}),
        "accessList": lambda: member(
            eth.create_access_list({**CALL, "from": ACCOUNT}, "latest"), lambda found: found["gasUsed"]
        ),
        "accountInfo": lambda: member(
            eth.w3.manager.coro_request("eth_getAccountInfo", [ACCOUNT, "latest"]), lambda info: int(info["balance"], 16)
        ),
        "senderAndNonce": lambda: member(
            eth.w3.manager.coro_request("eth_getTransactionBySenderAndNonce", [ACCOUNT, "0x0"]),
            lambda found: found["hash"],
        ),
        "fillTransaction": lambda: member(
            eth.w3.manager.coro_request("eth_fillTransaction", [{"from": ACCOUNT, "to": OTHER, "value": "0x1"}]),
            lambda filled: int(filled["tx"]["nonce"], 16),
        ),
    }


async def find_all(web3):
    found = {}
    for name, run in operations(web3.eth).items():
        try:
            found[name] = str(await run())
        except Exception as error:
            found[name] = {"error": f"{type(error).__name__}: {error}"[:300]}
    return found


async def main():
    if URL.startswith("ws"):
        async with AsyncWeb3(WebSocketProvider(URL)) as web3:
            found = await find_all(web3)
    else:
        provider = AsyncWeb3.AsyncHTTPProvider(URL)
        found = await find_all(AsyncWeb3(provider))
        await provider.disconnect()
    print(json.dumps(found))


asyncio.run(main())
