import { autoUpdate as follow } from '@floating-ui/react-dom'

export * from '@floating-ui/react-dom'

/**
 * Keeps a popover at what it belongs to. That of `@wordpress/components` asks where both are in each frame, which lays the page out each
 * time; here it is asked when either may have moved: something was scrolled, resized, or pushed aside.
 */
export const autoUpdate: typeof follow = (reference, floating, update) => follow(reference, floating, update)
