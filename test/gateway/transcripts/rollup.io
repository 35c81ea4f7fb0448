// network: rollup
>> {"jsonrpc":"2.0","id":1,"method":"l2_estimateGas","params":[{"to":"0x0000000000000000000000000000000000000001"}]}
<< {"jsonrpc":"2.0","id":1,"result":{"gasLimit":"0x5208","baseFeePerGas":"0x7","priorityFeePerGas":"0x400000000000000000"}}
>> {"jsonrpc":"2.0","id":1,"method":"linea_estimateGas","params":[{},"finalized"]}
<< {"jsonrpc":"2.0","id":1,"result":{"gasLimit":"0x5208","baseFeePerGas":"0x7","priorityFeePerGas":"0x400000000000000000"}}
>> {"jsonrpc":"2.0","id":1,"method":"linea_estimateGas","params":[{},"safe"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 1: the tag \"safe\" is not supported by this method, use \"finalized\" instead"}}
>> {"jsonrpc":"2.0","id":1,"method":"scroll_estimateGas","params":[{}]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the method scroll_estimateGas does not exist/is not available"}}
>> {"jsonrpc":"2.0","id":1,"method":"rollup_getInfo","params":[]}
<< {"jsonrpc":"2.0","id":1,"result":{"mode":"verifier","syncing":false,"ethContext":{"blockNumber":12,"timestamp":9007199254740993},"rollupContext":{"queueIndex":0,"index":9,"verifiedIndex":8}}}
