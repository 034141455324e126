// Receives webhooks over TLS and fails at random:
// node receiver.mjs <folder with node_modules> <certificate> <key> <seed>
//
// Each line of standard input creates an endpoint: {"path", "secret", "troubles":
// {name: share}, "first": [names], "goneAfter": n}. Each line of standard output
// reports the address, {"port"}, or a request.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'

const [folder, cert, key, seed] = process.argv.slice(2)
const require = createRequire(join(resolve(folder), 'package.json'))
const { Webhook } = require('standardwebhooks')

const endpoints = new Map()
const tell = (what) => process.stdout.write(JSON.stringify(what) + '\n')

// random implements mulberry32: the same seed produces the same troubles.
let state = Number(seed)
function random() {
  state = (state + 0x6d2b79f5) | 0
  let t = Math.imul(state ^ (state >>> 15), 1 | state)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296
}

function troubleOf(endpoint) {
  if (endpoint.first?.length > 0) return endpoint.first.shift()
  let at = random()
  for (const [name, share] of Object.entries(endpoint.troubles ?? {})) {
    if (at < share) return name
    at -= share
  }
  return 'none'
}

// connections maps the client's port to the TCP connection under TLS.
const connections = new Map()

// What each trouble does instead of a good answer. With "lost", the event was accepted.
const troubles = {
  none: (_, response) => response.writeHead(204).end(),
  error: (_, response) => response.writeHead(500).end('not now'),
  unavailable: (_, response) => response.writeHead(503).end(),
  reset: (request) => connections.get(request.socket.remotePort).resetAndDestroy(),
  closed: (request) => request.socket.destroy(),
  lost: (request) => request.socket.destroy(),
  silence: () => {}, // until the client gives up
  patience: (_, response) => response.writeHead(429, { 'Retry-After': '1' }).end(),
  elsewhere: (_, response) => response.writeHead(307, { Location: '/elsewhere' }).end(),
}

function receive(request, response, body) {
  const endpoint = endpoints.get(request.url)
  if (!endpoint) {
    tell({ path: request.url, wrong: 'no such endpoint' })
    return response.writeHead(404).end()
  }
  let event
  try {
    event = new Webhook(endpoint.secret).verify(body, request.headers)
  } catch (err) {
    tell({ path: request.url, wrong: `not signed as it should be: ${err}` })
    return response.writeHead(401).end()
  }
  if (request.method !== 'POST' || request.headers['content-type'] !== 'application/json' || event.id !== request.headers['webhook-id']) {
    tell({ path: request.url, wrong: `${request.method} of ${request.headers['content-type']} with the id ${request.headers['webhook-id']}` })
    return response.writeHead(400).end()
  }
  endpoint.requests = (endpoint.requests ?? 0) + 1
  if (endpoint.goneAfter < endpoint.requests) {
    tell({ path: request.url, trouble: 'gone', body })
    return response.writeHead(410).end()
  }
  const trouble = troubleOf(endpoint)
  tell({ path: request.url, trouble, taken: trouble === 'none' || trouble === 'lost', body })
  troubles[trouble](request, response)
}

const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (request, response) => {
  const parts = []
  request.on('data', (part) => parts.push(part))
  request.on('end', () => receive(request, response, Buffer.concat(parts).toString('utf8')))
  request.on('error', () => {}) // the client has disconnected
})
server.on('connection', (connection) => {
  const port = connection.remotePort
  connections.set(port, connection)
  connection.on('close', () => connections.delete(port))
})
server.listen(0, '127.0.0.1', () => tell({ port: server.address().port }))
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const endpoint = JSON.parse(line)
    endpoints.set(endpoint.path, endpoint)
    tell({ ready: endpoint.path })
  })
  .on('close', () => process.exit(0))
