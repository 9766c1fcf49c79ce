/** The lines of a text that comes in pieces, each looked through once: a row of a dump may be 20 MB. What ends without a line break is none. */
export async function* linesIn(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let begun: string[] = []
  for await (const piece of pieces) {
    const [first = '', ...more] = piece.split('\n')
    begun.push(first)
    if (more.length === 0) continue
    yield begun.join('')
    begun = [more.pop() ?? '']
    yield* more
  }
}
