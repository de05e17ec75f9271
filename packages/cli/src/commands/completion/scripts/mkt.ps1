# Completion of mkt for PowerShell.
Register-ArgumentCompleter -Native -CommandName mkt -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { $_.ToString().Trim('"', "'") })
    $current = $wordToComplete.Trim('"', "'")
    mkt __complete powershell @words "=$current" 2>$null | ForEach-Object {
        $value, $about = $_ -split "`t", 2
        if ($value -eq ':files') { return }
        if (-not $about) { $about = $value }
        $typed = if ($value -match "[\s&'?]") { "'" + $value.Replace("'", "''") + "'" } else { $value }
        [System.Management.Automation.CompletionResult]::new($typed, $value, 'ParameterValue', $about)
    }
}
