// what is no request
>> {"jsonrpc":"2.0","id":1,"method":"eth_chainId"
<< 400 {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error: unexpected end at position 46"}}
>> 
<< 400 {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error: unexpected end at position 0"}}
>> {"jsonrpc":"2.0","id":[1],"method":"eth_chainId"}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: \"id\" must be a number, a string or null"}}
>> {"id":1,"method":"eth_chainId"}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: \"jsonrpc\" must be \"2.0\""}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":{}}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"params must be an array: parameters are given by position"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_sendTransaction","params":[{}]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the method eth_sendTransaction does not exist/is not available"}}
>> {"jsonrpc":"2.0","id":1,"method":"constructor"}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the method constructor does not exist/is not available"}}
>> {"jsonrpc":"2.0","id":1,"method":"$&"}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the method $& does not exist/is not available"}}
