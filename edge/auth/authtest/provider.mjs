// An OpenID Connect provider for the tests: npm oidc-provider with its own pages
// for signing in, one client and PKCE required. It prints its issuer, and ends
// with its standard input.
//
//   node provider.mjs <site folder> <redirect address> <client> <secret> <names as JSON: subject to preferred_username>
import http from 'node:http'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const [site, redirect, client, secret, names] = process.argv.slice(2)
const preferred = JSON.parse(names)
const { Provider } = await import(pathToFileURL(resolve(site, 'node_modules/oidc-provider/lib/index.js')))

const server = http.createServer()
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`
  const provider = new Provider(issuer, {
    clients: [{
      client_id: client,
      client_secret: secret,
      redirect_uris: [redirect],
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_basic',
    }],
    pkce: { required: () => true },
    cookies: { keys: [secret] },
    claims: { openid: ['sub'], profile: ['preferred_username'], email: ['email'] },
    findAccount: (_, sub) => ({
      accountId: sub,
      claims: () => ({ sub, preferred_username: preferred[sub], email: `${sub}@example.org` }),
    }),
    features: { devInteractions: { enabled: true } },
  })
  provider.on('server_error', (_, error) => console.error(error))
  // Its pages would load a font from elsewhere, and browsers ask for an icon.
  provider.use(async (ctx, next) => {
    if (ctx.path === '/favicon.ico') {
      ctx.status = 204
      return
    }
    await next()
    if (typeof ctx.body === 'string') ctx.body = ctx.body.replaceAll(/@import url\([^)]*\);/g, '')
  })
  server.on('request', provider.callback())
  console.log(issuer)
})

process.stdin.resume()
process.stdin.on('end', () => process.exit(0))
