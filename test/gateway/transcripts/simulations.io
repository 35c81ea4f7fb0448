// access lists and simulated blocks: what is refused, and how it arrives
>> {"jsonrpc":"2.0","id":1,"method":"eth_simulateV1","params":[{"blockStateCalls":[{}]},"latest"]}
<< {"jsonrpc":"2.0","id":1,"result":[]}
>> {"jsonrpc":"2.0","id":2,"method":"eth_simulateV1","params":[{}]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"empty input"}}
>> {"jsonrpc":"2.0","id":3,"method":"eth_simulateV1","params":[{"blockStateCalls":[{"calls":[{"to":"0x1"}]}]}]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"invalid argument 0: blockStateCalls[0].calls[0].to: hex string of odd length"}}
>> {"jsonrpc":"2.0","id":4,"method":"eth_simulateV1","params":[]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"missing value for required argument 0"}}
>> {"jsonrpc":"2.0","id":5,"method":"eth_simulateV1","params":[{"blockStateCalls":[{}]},"latest",{}]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"too many arguments, want at most 2"}}
>> {"jsonrpc":"2.0","id":6,"method":"eth_createAccessList","params":[{}]}
<< {"jsonrpc":"2.0","id":6,"result":{"accessList":[],"gasUsed":"0x5208"}}
>> {"jsonrpc":"2.0","id":7,"method":"eth_createAccessList","params":[{"to":"0x0000000000000000000000000000000000000002"},"latest"]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"out of gas"}}
