"""Follow-up questions and operators over verified answers. Knows nothing of LangGraph."""
