import { Component, type ReactNode } from 'react';

/** Shown when a screen fails to render: because of an unexpected response, or a bug. */
export class LastResort extends Component<{ readonly children: ReactNode }, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { readonly failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <div className="banner" role="alert">
        <div>
          <strong>This screen cannot be shown.</strong> Load the page again. If it stays so, tell us what you did.
        </div>
        <button type="button" onClick={() => location.reload()}>
          Load again
        </button>
      </div>
    );
  }
}
