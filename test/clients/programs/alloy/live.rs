//! The live operations with alloy: prints what it found as one JSON object.
use alloy::eips::eip2718::Encodable2718;
use alloy::network::TransactionBuilder;
use alloy::primitives::{Address, Bytes, B256, U256};
use alloy::providers::{Provider, ProviderBuilder};
use alloy::rpc::types::{Filter, Log, TransactionRequest};
use alloy::signers::local::PrivateKeySigner;
use serde_json::{json, Map, Value};
use std::fmt::Display;
use std::future::Future;
use std::time::Duration;

type Failure = Box<dyn std::error::Error>;
type Items = Result<Vec<String>, Failure>;

const LIMIT: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(100);

async fn note(found: &mut Map<String, Value>, name: &str, work: impl Future<Output = Items>) {
    let value = match tokio::time::timeout(LIMIT, work).await {
        Ok(Ok(items)) => Value::String(items.join(" ")),
        Ok(Err(error)) => json!({ "error": error.to_string() }),
        Err(_) => json!({ "error": "nothing came in 30 s" }),
    };
    found.insert(name.to_string(), value);
}

fn place(log: &Log) -> String {
    format!("{}/{}", log.block_number.unwrap_or_default(), log.log_index.unwrap_or_default())
}

fn text(item: &impl Display) -> String {
    item.to_string()
}

/// What a subscription gives.
macro_rules! take {
    ($subscription:expr, $count:expr, $read:expr) => {{
        let mut subscription = $subscription;
        let mut items = Vec::new();
        while items.len() < $count {
            items.push($read(&subscription.recv().await?));
        }
        Ok(items)
    }};
}

/// What polls of a filter give.
macro_rules! poll {
    ($provider:expr, $id:expr, $kind:ty, $count:expr, $read:expr) => {{
        let id = $id;
        let mut items: Vec<String> = Vec::new();
        while items.len() < $count {
            let changes: Vec<$kind> = $provider.get_filter_changes(id).await?;
            items.extend(changes.iter().map($read));
            tokio::time::sleep(POLL).await;
        }
        items.truncate($count);
        Ok(items)
    }};
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().collect();
    let subject: Value = serde_json::from_str(&arguments[1])?;
    let field = |name: &str| subject[name].as_str().unwrap_or_default().to_string();
    let count = subject["count"].as_u64().unwrap_or_default() as usize;
    let contract: Address = field("contract").parse()?;
    let topic: B256 = field("topic").parse()?;
    let to: Address = field("to").parse()?;
    let signer: PrivateKeySigner = field("key").parse()?;
    let filter = Filter::new().address(contract).event_signature(topic);
    let socket = ProviderBuilder::new().connect(&field("webSocket")).await?;
    let http = ProviderBuilder::new().wallet(signer).connect(&field("http")).await?;
    http.client().set_poll_interval(POLL);
    let mut found = Map::new();

    note(&mut found, "new blocks", async {
        take!(socket.subscribe_blocks().await?, count, |block: &alloy::rpc::types::Header| block.number.to_string())
    }).await;
    note(&mut found, "logs of a contract", async { take!(socket.subscribe_logs(&filter).await?, count, place) }).await;
    note(&mut found, "pending transactions", async {
        take!(socket.subscribe_pending_transactions().await?, count, text)
    }).await;
    note(&mut found, "receipts of blocks", async {
        let receipts = socket.subscribe::<_, Vec<Value>>(("transactionReceipts",)).await?;
        take!(receipts, count, |block: &Vec<Value>| {
            let hashes = block.iter().map(|receipt| receipt["transactionHash"].as_str().unwrap_or("none"));
            hashes.collect::<Vec<_>>().join(" ")
        })
    }).await;
    note(&mut found, "block filter", async { poll!(http, http.new_block_filter().await?, B256, count, text) }).await;
    note(&mut found, "log filter", async { poll!(http, http.new_filter(&filter).await?, Log, count, place) }).await;
    note(&mut found, "pending filter", async {
        poll!(http, http.new_pending_transactions_filter(false).await?, B256, count, text)
    }).await;
    note(&mut found, "send with receipt", async {
        let transfer = TransactionRequest::default().with_to(to).with_value(U256::from(1));
        let envelope = http.fill(transfer).await?.try_into_envelope()?;
        let raw = Bytes::from(envelope.encoded_2718());
        let receipt: Value = http.raw_request("eth_sendRawTransactionSync".into(), (raw,)).await?;
        Ok(vec![receipt["transactionHash"].as_str().unwrap_or("none").to_string()])
    }).await;
    note(&mut found, "send and wait", async {
        let transfer = TransactionRequest::default().with_to(to).with_value(U256::from(1));
        let receipt = http.send_transaction(transfer).await?.get_receipt().await?;
        Ok(vec![receipt.transaction_hash.to_string()])
    }).await;
    println!("{}", Value::Object(found));
    Ok(())
}
