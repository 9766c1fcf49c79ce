/** What models think before they answer, as servers leave it in the text: in tags, tokens or harmony's channels. */

const names =
  '(?:[a-z]{1,20}[:_])?(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection|scratchpad|(?:inner|internal)_(?:monologue|thoughts?))'
const channel = String.raw`<\|?channel\|?>\s{0,9}`
const final = String.raw`${channel}final[^<]{0,40}(?:<\|constrain\|>[^<]{0,40})?<\|message\|>`
const openingTokens = String.raw`<\|(?:begin_of_thought|start_thinking|think(?:ing)?)\|>|<unused94>`
const openingChannel = String.raw`(?:<\|start\|>assistant)?${channel}(?:analysis|commentary|thought)|analysis(?=[a-z])`
const opening = String.raw`(?:<${names}>|\[think\]|◁think▷|${openingTokens}|${openingChannel})`
const closingTokens = String.raw`<\|(?:end_of_thought|begin_of_solution|end_thinking|start_response|/think(?:ing)?)\|>|<unused95>`
const closingChannel = String.raw`${final}|<channel\|>|assistantfinal|\[begin final response\]`
const closing = String.raw`(?:</${names}>|\[/think\]|◁/think▷|${closingTokens}|${closingChannel})`

const opensAtStart = RegExp(opening, 'iy')
const opensInLine = RegExp(`^${opening}`, 'im')
const closes = RegExp(closing, 'i')
const closesAtLineEnd = RegExp(String.raw`${closing}(?=[ \t]{0,9}\r?\n)`, 'i')

/** A tag or a token before an answer, and one behind it. */
const wrapperBefore = /^(?:<(?:answer|response|output)>|<\|(?:begin_of_(?:solution|box)|start_response)\|>)/i
const wrapperBehind =
  /(?:<\/(?:answer|response|output)>|<\|(?:return|end|im_end|eot_id|endoftext|call|end_of_(?:solution|box)|end_response)\|>|<\/s>|\[end final response\])$/i

/** Removes a model's thoughts; in JSON they end only with a line. @returns an empty text where the answer ended amid them */
export function stripReasoning(text: string): string {
  let rest = text
  for (;;) {
    const start = rest.trimStart()
    opensAtStart.lastIndex = 0
    const isJson = !opensAtStart.test(start) && /^(?:[{[]|```)/.test(start)
    const end = (isJson ? closesAtLineEnd : closes).exec(start)
    if (end === null) {
      const open = isJson ? undefined : opensInLine.exec(start)?.index
      const answer = start.slice(0, open).trim()
      const bare = answer.replace(wrapperBefore, '').replace(wrapperBehind, '').trim()
      return rest === text && open === undefined && bare === answer ? text : bare
    }
    rest = start.slice(end.index + end[0].length)
  }
}
