import { type ByteBudget, type Share, WEIGHT_OF_DOCUMENT } from '../bytes/index.ts'
import { GalleyError } from '../errors.ts'
import type { Answered } from './answer.ts'
import { ANSWER_BYTES, type Question, type Upstreams } from './ask.ts'

/** What nearly every document has less of. Room for more is only taken where an answer turns out to need it. */
const USUAL_BYTES = 256 * 1024

/** What the upstream says, and the room that it has in memory; whoever gets it releases that. */
export interface AnswerInRoom extends Answered {
  room: Share
}

/**
 * Asks an upstream for a document, once it is its turn and there is room in memory for the answer and what is made of it.
 *
 * @param expected bytes of the document, where something is known of it
 * @throws GalleyError as {@link Upstreams}; `memory_busy`
 */
export async function askInRoom(
  { budget, upstreams }: { budget: ByteBudget; upstreams: Upstreams },
  question: Omit<Question, 'maxBytes'>,
  expected = 0,
): Promise<AnswerInRoom> {
  const usual = Math.min(Math.max(2 * expected, USUAL_BYTES), ANSWER_BYTES)
  const ask = async (maxBytes: number): Promise<AnswerInRoom> => {
    const room = await budget.documents.take(maxBytes * WEIGHT_OF_DOCUMENT)
    try {
      const answered = await upstreams.ask({ ...question, maxBytes })
      room.shrink(answered.body.length * WEIGHT_OF_DOCUMENT)
      return { ...answered, room }
    } catch (error) {
      room.release()
      throw error
    }
  }
  return upstreams.inTurn(question.source, async () => {
    try {
      return await ask(usual)
    } catch (error) {
      const larger = error instanceof GalleyError && error.code === 'upstream_answer_too_big'
      if (!larger || usual === ANSWER_BYTES) throw error
      return ask(ANSWER_BYTES)
    }
  })
}
