// Starts `scopec lsp`, and shows the pages of counterexamples in a panel beside the text.

import * as vscode from "vscode";
import { ExecuteCommandRequest, LanguageClient } from "vscode-languageclient/node";

import { clientOptions, serverOptions, PAGE, WATCHED } from "./options";
import { Panel } from "./panel";

let client: LanguageClient | undefined;
let watcher: vscode.FileSystemWatcher;
const panel = new Panel();

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  watcher = vscode.workspace.createFileSystemWatcher(WATCHED);
  context.subscriptions.push(
    panel,
    watcher,
    vscode.commands.registerCommand("scopec.counterexample", counterexample),
    vscode.commands.registerCommand("scopec.restart", restart),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
    vscode.workspace.onDidChangeConfiguration((change) =>
      change.affectsConfiguration("scopec") ? restart() : undefined,
    ),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await stop();
}

async function start(): Promise<void> {
  const settings = vscode.workspace.getConfiguration("scopec");
  client = new LanguageClient("scopec", "scopec", serverOptions(settings), {
    ...clientOptions(settings, vscode.workspace.isTrusted),
    synchronize: { fileEvents: watcher },
    middleware: {
      executeCommand: async (command, given, next) => {
        const result: unknown = await next(command, given);
        if (command === PAGE) {
          panel.show(result);
        }
        return result;
      },
    },
  });
  await client.start();
}

async function stop(): Promise<void> {
  if (client?.isRunning()) {
    await client.stop();
  }
}

async function restart(): Promise<void> {
  await stop();
  await start();
}

// The first counterexample of the text that is shown.
async function counterexample(): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (client === undefined || document === undefined) {
    return;
  }
  const uri = client.code2ProtocolConverter.asUri(document.uri);
  panel.show(await client.sendRequest(ExecuteCommandRequest.type, { command: PAGE, arguments: [uri, "", ""] }));
}
