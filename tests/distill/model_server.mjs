// Speaks as much of Ollama's HTTP interface as the distiller uses, over node-llama-cpp: server.mjs MODEL.gguf PORT
import http from "node:http";
import { getLlama, LlamaChatSession } from "node-llama-cpp";

const [, , path, port] = process.argv;
const llama = await getLlama({ gpu: false, build: "never" });
const model = await llama.loadModel({ modelPath: path });
const context = await model.createContext({ contextSize: 4096, threads: 1 });

async function answer(asked, signal) {
  const grammar = asked.format ? await llama.createGrammarForJsonSchema(asked.format) : undefined;
  const sequence = context.getSequence();
  try {
    const session = new LlamaChatSession({ contextSequence: sequence });
    const history = asked.messages.slice(0, -1).map(({ role, content }) =>
      role === "assistant" ? { type: "model", response: [content] } : { type: "user", text: content });
    session.setChatHistory(history);
    const text = asked.messages.at(-1).content;
    return await session.prompt(text, { grammar, temperature: 0, maxTokens: asked.options?.num_predict ?? 220, signal });
  } finally {
    sequence.dispose();
  }
}

// One at a time, as there is one sequence: who asks again after a time limit waits until the abandoned answer has stopped.
let last = Promise.resolve();
function queued(asked, signal) {
  const mine = last.then(() => answer(asked, signal));
  last = mine.catch(() => {});
  return mine;
}

http.createServer(async (request, response) => {
  let body = "";
  for await (const part of request) body += part;
  const send = (value) => { response.setHeader("content-type", "application/x-ndjson"); response.end(JSON.stringify(value) + "\n"); };
  if (request.url === "/api/version") return send({ version: "0" });
  if (request.url === "/api/tags") return send({ models: [{ model: "small:latest", name: "small:latest" }] });
  const asked = JSON.parse(body), gone = new AbortController();
  response.on("close", () => gone.abort());
  try {
    send({ model: asked.model, created_at: new Date().toISOString(), message: { role: "assistant", content: await queued(asked, gone.signal) }, done: true });
  } catch (error) {
    console.error(error);
    response.statusCode = 500;
    send({ error: String(error) });
  }
}).listen(Number(port), "127.0.0.1", () => console.log("listening"));
