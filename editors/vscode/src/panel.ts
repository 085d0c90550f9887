// The page of a counterexample in a panel beside the text: the server's own, with its player.

import * as vscode from "vscode";

export class Panel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;

  // Show a page; what is none, as where there is no counterexample, leaves the panel as it is.
  show(page: unknown): void {
    if (typeof page !== "string" || page === "") {
      return;
    }
    if (this.panel === undefined) {
      const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
      this.panel = vscode.window.createWebviewPanel("scopec.page", "Counterexample", column, {
        enableScripts: true,
        localResourceRoots: [],
      });
      this.panel.onDidDispose(() => (this.panel = undefined));
    }
    this.panel.webview.html = page;
    this.panel.reveal(undefined, true);
  }

  dispose(): void {
    this.panel?.dispose();
  }
}
