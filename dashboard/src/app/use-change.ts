import { type UseMutationOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { describeError } from '../components/states.tsx'
import { useNotice } from './notices.tsx'

interface Change<Data, Variables>
  extends Pick<UseMutationOptions<Data, Error, Variables>, 'mutationFn' | 'onMutate' | 'onSuccess'> {
  /** The first members of the keys of queries that it may change. */
  changes: readonly string[]
}

/** A change without a form: a notice says why it is refused, and what it may have changed is asked for again. */
export function useChange<Data, Variables = void>({ changes, ...options }: Change<Data, Variables>) {
  const queryClient = useQueryClient()
  const notice = useNotice()
  return useMutation<Data, Error, Variables>({
    ...options,
    onError: (error) => notice({ text: describeError(error).text, tone: 'bad' }),
    onSettled: () => Promise.all(changes.map((kind) => queryClient.invalidateQueries({ queryKey: [kind] }))),
  })
}
