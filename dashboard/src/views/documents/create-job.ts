import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { createJob, type JobKind, type JobRequests, priceQuery } from '../../data/jobs.ts'
import { useIdempotencyKey } from './idempotency-key.ts'

/** Milliseconds without a change after which the price of what is filled in is asked for. */
const SETTLED_MS = 350

/** Stands for words that are not there yet, which a price of documents and images does not depend on. */
export const WORDS = 'Something to be made.'

/**
 * What the form of a job does: it asks for the price of what is filled in, requests it once, however often somebody presses
 * the button or the answer is lost, and leads to the job.
 */
export function useCreateJob<Kind extends JobKind>(kind: Kind, body: JobRequests[Kind]) {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const settled = useSettled(body)
  const price = useQuery(priceQuery(kind, priced(kind, settled)))
  const keyOf = useIdempotencyKey()
  const [refused, setRefused] = useState('')
  const now = JSON.stringify(body)
  const make = useMutation({
    mutationFn: () => createJob(kind, body, keyOf(body)),
    onSuccess: async (id) => {
      await navigate({ to: '/documents/$id', params: { id } as never })
      await queryClient.invalidateQueries({ queryKey: ['jobs', 'list'] })
    },
    onError: () => setRefused(now),
  })
  const refusal = make.isError && refused === now ? make.error : null
  return {
    price,
    make,
    /** Of the request as it is: once something has changed, nothing was refused yet. */
    refusal,
    /** What is said of the fields. */
    failure: refusal ?? price.error,
  }
}

/** A value once it has not changed for a moment: not every letter is a question. */
function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value)
  const text = JSON.stringify(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(text)), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

/** What a text costs to be read out, its length decides; of what is too short yet, that of the shortest. */
function priced<Kind extends JobKind>(kind: Kind, body: JobRequests[Kind]): JobRequests[Kind] {
  if (kind !== 'audio') return { ...body, prompt: WORDS }
  const { text } = body as JobRequests['audio']
  return text.trim().length < WORDS.length ? { ...body, text: WORDS } : body
}
