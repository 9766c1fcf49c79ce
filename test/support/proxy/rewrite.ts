import type { Reply } from './types.ts'

/** Puts one origin for another into an answer: headers, text, and JSON with its escaped slashes. */
export function rewriteOrigin(reply: Reply, from: string, to: string): Reply {
  const replace = (text: string) =>
    text.replaceAll(from, to).replaceAll(from.replaceAll('/', '\\/'), to.replaceAll('/', '\\/'))
  const headers = Object.fromEntries(
    Object.entries(reply.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(replace) : replace(value),
    ]),
  )
  const textual = /json|text|xml/.test(String(reply.headers['content-type'] ?? ''))
  return { ...reply, headers, body: textual ? Buffer.from(replace(reply.body.toString('utf8'))) : reply.body }
}
